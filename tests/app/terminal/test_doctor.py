"""The doctor: honest about what works, and never the patient's death."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from app.sound import audio_devices, output_devices
from app.terminal import doctor
from app.terminal.cli import main
from app.terminal.doctor import CheckResult, examine, usable
from engine.errors import ModelError, VoiceError
from engine.loading import ready
from engine.options import VoiceOptions
from engine.speak import choice
from tests.random_whisper import write_random_model


def findings_by_name() -> dict[str, CheckResult]:
    return {finding.name: finding for finding in examine()}


@pytest.fixture(scope="module")
def found() -> dict[str, CheckResult]:
    return findings_by_name()


def test_everything_is_looked_at(found: dict[str, CheckResult]) -> None:
    expected = {"python", "device", "matrix products", "model starter", "voice", "microphone", "window", "data folder"}
    assert expected | {"loudspeaker", "cache folder", "free disk"} <= set(found)


def test_what_is_not_well_comes_with_advice(found: dict[str, CheckResult]) -> None:
    assert all(finding.advice for finding in found.values() if finding.status != "ok")
    assert not any(finding.advice for finding in found.values() if finding.status == "ok")


def test_the_speed_of_matrix_products_is_measured(found: dict[str, CheckResult]) -> None:
    words = found["matrix products"].detail.split()
    assert words[-1] == "GFLOPS"
    assert float(words[-2]) > 0


def test_qt_is_tried_in_a_process_of_its_own(found: dict[str, CheckResult]) -> None:
    assert found["window"].status == "ok"
    assert found["window"].detail.endswith("on offscreen")


def test_a_window_that_cannot_open_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")
    (finding,) = doctor._window()
    assert (finding.status, usable([finding])) == ("warning", True)


def test_a_missing_display_is_told_apart_from_a_missing_library() -> None:
    why = doctor._why_qt_fails("qt.qpa.xcb: could not connect to display\nqt.qpa.plugin: Could not load …")
    assert why[0] == "no display"
    detail, advice = doctor._why_qt_fails("Traceback\nImportError: libEGL.so.1: cannot open shared object file\n")
    assert detail == "ImportError: libEGL.so.1: cannot open shared object file"
    assert "libegl1" in advice


def test_a_machine_without_portaudio_can_still_caption_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    (finding,) = doctor._microphones()
    assert finding.status == "warning"
    assert "PortAudio" in finding.advice


def test_microphones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = (audio_devices.InputDevice(1, "USB", True), audio_devices.InputDevice(2, "Built-in", False))
    monkeypatch.setattr(audio_devices, "list_input_devices", lambda: devices)
    (finding,) = doctor._microphones()
    assert (finding.status, finding.detail) == ("ok", "USB (default), Built-in")


def test_loudspeakers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_devices, "output_names", lambda: ("USB", "Built-in"))
    (finding,) = doctor._loudspeakers()
    assert (finding.status, finding.detail) == ("ok", "USB, Built-in")


@pytest.mark.parametrize("names", [(), None])
def test_a_machine_without_loudspeakers_can_still_caption_files(
    names: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if names is None:
        monkeypatch.setitem(sys.modules, "sounddevice", None)
    else:
        monkeypatch.setattr(output_devices, "output_names", lambda: names)
    (finding,) = doctor._loudspeakers()
    assert finding.status == "warning"
    assert finding.advice


def test_l5_a_mac_is_not_told_to_use_apt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review L5."""
    monkeypatch.setattr(doctor.sys, "platform", "darwin")
    detail, advice = doctor._why_qt_fails("qt.qpa.plugin: Could not load the Qt platform plugin")
    assert detail == "Qt does not start"
    assert "Mac" in advice and "Debian" not in advice


def test_the_voice_is_tried(found: dict[str, CheckResult], monkeypatch: pytest.MonkeyPatch) -> None:
    assert found["voice"].status == "ok"
    assert "first sound after" in found["voice"].detail

    def fail(options: VoiceOptions) -> NoReturn:
        raise VoiceError("The built-in voice does not start.")

    monkeypatch.setattr(choice, "make_voice", fail)
    (finding,) = doctor._voice()
    assert (finding.status, usable([finding])) == ("warning", True)
    assert finding.advice.startswith("The built-in voice does not start. ")


def test_a_full_disk_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 10**18)
    assert {finding.name: finding.status for finding in doctor._folders()}["free disk"] == "warning"


def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def _broken_part() -> Iterator[CheckResult]:
        raise RuntimeError("it fell off")

    monkeypatch.setattr(doctor, "_CHECKS", (_broken_part, doctor._python))
    assert main(["doctor", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["usable"] is False
    assert [finding["name"] for finding in record["findings"]] == ["broken part", "python"]
    assert record["findings"][0]["detail"] == "RuntimeError: it fell off"


def test_the_models_that_come_along_are_whole() -> None:
    found = {each.name: each for each in doctor._models() if each.name.startswith("model starter")}
    assert "model starter-en-pt" in found, "one that only translates"
    assert {each.status for each in found.values()} == {"ok"}, found


def test_a_damaged_starter_model_makes_earshot_unusable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ModelError("model.safetensors is cut short.")

    monkeypatch.setattr(ready, "load_any_hearing", fail)
    finding = doctor._model("starter", None)
    assert (finding.status, finding.advice) == ("problem", "model.safetensors is cut short.")
    assert not usable([finding])


def test_a_damaged_model_that_was_fetched_is_a_warning(tmp_path: Path) -> None:
    folder = write_random_model(tmp_path)
    assert doctor._model("tiny", folder).status == "ok"
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    finding = doctor._model("tiny", folder)
    assert finding.status == "warning"
    assert "cut off" in finding.advice


def test_the_command_prints_a_line_for_each_finding_and_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "_CHECKS", (doctor._python, doctor._folders))
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ok python           3.")
    assert lines[-1] in ("Everything works here.", "Earshot works here, apart from the lines marked !.")


def test_the_doctor_says_whether_it_is_in_a_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = doctor._earshot()
    assert "installed in" in finding.detail
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/earshot/earshot")
    (finding,) = doctor._earshot()
    assert finding.detail.endswith("bundle in /opt/earshot")
