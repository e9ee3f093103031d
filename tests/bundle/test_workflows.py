"""The workflows run what a person runs, on both systems, and name nothing that is not there."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAC_IMAGES = ["macos-15", "macos-26"]
"""Images of GitHub for Apple silicon; macos-14 has gone. docs/packaging.md says when the next ones go."""

ACTIONS = {"actions/checkout@v6", "astral-sh/setup-uv@v8.3.2"}
"""Those that run on a Node that GitHub still has. From version 8 on setup-uv has no tag such as v8 alone."""


def read(name: str) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return workflow


def commands(workflow: dict[str, Any]) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def test_a_change_is_checked_on_linux_and_on_apple_silicon_as_it_is_by_hand() -> None:
    workflow = read("ci.yml")
    assert workflow["jobs"]["check"]["strategy"]["matrix"]["os"] == ["ubuntu-22.04", *MAC_IMAGES]
    assert commands(workflow) == ["bash .ci/run"]
    assert workflow["permissions"] == {"contents": "read"}


def test_what_only_a_mac_runs_is_type_checked_on_linux_too() -> None:
    """Mac review H5: seven errors that no Linux machine saw would have stopped every run on a Mac."""
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(
        r"^uv run mypy --platform darwin .*& for_mac=\$!.*\nuv run mypy\nwait \$for_mac$", run, re.MULTILINE
    )


def test_a_tag_builds_tries_and_uploads_both_bundles() -> None:
    workflow = read("release.yml")
    assert workflow[True]["push"]["tags"] == ["v*"]  # YAML reads the word "on" as true
    for job in ("linux", "macos"):
        run = [step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step]
        places = [
            next(i for i, each in enumerate(run) if word in each) for word in ("build.spec", "tests.bundle", "upload")
        ]
        assert places == sorted(places)


def test_the_app_is_built_for_macos_14_and_a_failed_signature_ends_the_build() -> None:
    """Mac review M11: any other Python than uv's own may be built for the runner's macOS alone."""
    job = read("release.yml")["jobs"]["macos"]
    assert job["env"] == {
        "MACOSX_DEPLOYMENT_TARGET": "14.0",
        "PYINSTALLER_STRICT_BUNDLE_CODESIGN_ERROR": "1",
        "PYINSTALLER_VERIFY_BUNDLE_SIGNATURE": "1",
    }
    assert "uv venv --managed-python --python 3.12" in [step.get("run") for step in job["steps"]]


SWITCHES = {"APPIMAGETOOL", "CODESIGN_IDENTITY", "HOMEBREW_TAP"}


def test_what_needs_a_maintainers_accounts_is_off_until_a_variable_turns_it_on() -> None:
    """A repository without Apple's account, a tap and a tool builds all the rest."""
    guarded, secrets = set(), set()
    for name in ("release.yml", "cask.yml"):
        for job in read(name)["jobs"].values():
            for step in job["steps"]:
                condition = str(step.get("if", job.get("if", "")))
                guarded |= set(re.findall(r"vars\.(\w+) != ''", condition))
                found = set(re.findall(r"secrets\.(\w+)", str(step.get("env", ""))))
                assert condition or not found
                secrets |= found
    assert guarded == SWITCHES
    pages = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")
    assert all(each in pages for each in (*SWITCHES, *secrets))


@pytest.mark.parametrize(
    "tag, fits", [("v{}", True), ("v{}-try", True), ("v0.0.1-try", True), ("v9.9.9", False), ("v{}.1", False)]
)
def test_a_tag_that_is_not_the_version_builds_nothing(tag: str, fits: bool) -> None:
    number = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    command = commands({"jobs": {"draft": read("release.yml")["jobs"]["draft"]}})[0]
    surroundings = os.environ | {"GITHUB_REF_NAME": tag.format(number)}
    done = subprocess.run(["bash", "-ec", command], cwd=ROOT, env=surroundings, capture_output=True, text=True)
    assert (done.returncode == 0) is fits, done.stdout


def test_people_are_told_how_macos_15_lets_an_app_from_the_net_be_opened() -> None:
    """Mac review M10: a right click and Open has not sufficed since."""
    step = read("release.yml")["jobs"]["draft"]["steps"][-1]
    assert '--notes "$NOTES"' in step["run"]
    for text in (step["env"]["NOTES"], (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")):
        assert "Open Anyway" in text and "xattr -dr com.apple.quarantine" in text and "right click" not in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_names_an_action_or_a_command_and_every_module_is_there(path: Path) -> None:
    """Mac review H4: images and actions that GitHub has removed end a job before its first step."""
    workflow = read(path.name)
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= job.keys()
        assert job["runs-on"] in ("ubuntu-22.04", "${{ matrix.os }}", *MAC_IMAGES)
        assert set([job.get("needs")] if "needs" in job else []) <= workflow["jobs"].keys()
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert "run" in step or step["uses"] in ACTIONS
    for module in re.findall(r"-m ([\w.]+)", " ".join(commands(workflow))):
        there = ROOT / module.replace(".", "/")
        assert there.with_suffix(".py").is_file() or (there / "__main__.py").is_file(), module
