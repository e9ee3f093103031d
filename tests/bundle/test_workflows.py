"""The workflows run what a person runs, on both systems, and name nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(name: str) -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    return workflow


def commands(workflow: dict[str, Any]) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def test_a_change_is_checked_on_linux_and_on_apple_silicon_as_it_is_by_hand() -> None:
    workflow = read("ci.yml")
    assert workflow["jobs"]["check"]["strategy"]["matrix"]["os"] == ["ubuntu-22.04", "macos-14"]
    assert commands(workflow) == ["bash .ci/run"]
    assert workflow["permissions"] == {"contents": "read"}


def test_a_tag_builds_tries_and_uploads_both_bundles() -> None:
    workflow = read("release.yml")
    assert workflow[True]["push"]["tags"] == ["v*"]  # YAML reads the word "on" as true
    for job in ("linux", "macos"):
        run = [step["run"] for step in workflow["jobs"][job]["steps"] if "run" in step]
        places = [
            next(i for i, each in enumerate(run) if word in each) for word in ("build.spec", "tests.bundle", "upload")
        ]
        assert places == sorted(places)
    assert workflow["jobs"]["macos"]["env"]["MACOSX_DEPLOYMENT_TARGET"] == "14.0"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_step_names_an_action_or_a_command_and_every_module_is_there(path: Path) -> None:
    workflow = read(path.name)
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= job.keys()
        assert set([job.get("needs")] if "needs" in job else []) <= workflow["jobs"].keys()
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1"))
    for module in re.findall(r"-m ([\w.]+)", " ".join(commands(workflow))):
        there = ROOT / module.replace(".", "/")
        assert there.with_suffix(".py").is_file() or (there / "__main__.py").is_file(), module
