"""A recording heard in two ways: the figures, the command, and the dialog that shows them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.preferences.preferences import Preferences
from app.preferences.reading import written
from app.preferences.settings import Settings
from app.terminal.cli import main
from app.terminal.commands import compare
from app.tuning.comparison_dialog import ComparisonDialog
from app.tuning.panel import TuningPanel
from app.tuning.replay import Comparison, Replayed, as_record, first_seconds, read_comparison, replay
from engine.audio import SAMPLE_RATE_HZ
from engine.errors import AudioError, EngineError
from engine.options import CaptionOptions
from tests.app.scripted_hearing import SENTENCE, say, scripted, write_wav
from tests.app.tuning.conftest import Script
from tests.random_whisper import write_random_model

AS_PUBLISHED = Replayed(1.93, 2.45, 0.59, 0.0976, 43, "Good morning, everyone.")
AS_SET = Replayed(0.41, 0.69, 0.42, None, 42, "Good morning, every one.")
COMPARISON = Comparison(16.0, AS_PUBLISHED, AS_SET)


@pytest.fixture
def dialog(panel: TuningPanel, qtbot: QtBot) -> ComparisonDialog:
    panel.compare()
    assert panel.comparison is not None
    qtbot.waitExposed(panel.comparison)
    return panel.comparison


def test_what_was_heard_is_measured() -> None:
    speech = say()
    seconds: list[float] = []
    heard = replay(scripted(speech), speech.samples, CaptionOptions(), seconds.append)
    assert heard.text == SENTENCE
    assert heard.words == len(SENTENCE.split())
    assert heard.delay_seconds is not None and heard.late_seconds is not None
    assert 0 < heard.delay_seconds <= heard.late_seconds < 3
    assert 0 < heard.real_time_factor < 1
    assert heard.flicker is None  # too few words to say
    assert seconds == sorted(seconds)
    assert seconds[-1] == pytest.approx(len(speech.samples) / SAMPLE_RATE_HZ)


def test_a_longer_step_brings_words_later() -> None:
    speech = say()
    delays = [
        replay(scripted(speech), speech.samples, CaptionOptions(step_seconds=step)).delay_seconds for step in (0.2, 2.0)
    ]
    assert delays[0] is not None and delays[1] is not None
    assert delays[0] < delays[1]


def test_silence_has_figures_too() -> None:
    heard = replay(scripted(say()), np.zeros(SAMPLE_RATE_HZ, np.float32), CaptionOptions())
    assert (heard.delay_seconds, heard.words, heard.text) == (None, 0, "")


def test_a_recording_is_read_as_far_as_it_is_asked_for(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "long.wav", np.zeros(5 * SAMPLE_RATE_HZ, np.float32))
    assert len(first_seconds(path, 1.25)) == 1.25 * SAMPLE_RATE_HZ
    assert len(first_seconds(path, 60)) == 5 * SAMPLE_RATE_HZ
    with pytest.raises(AudioError, match="holds no audio"):
        first_seconds(write_wav(tmp_path / "empty.wav", np.zeros(0, np.float32)), 1)


def test_a_comparison_survives_being_written() -> None:
    assert read_comparison(json.loads(json.dumps(as_record(COMPARISON)))) == COMPARISON
    for other in (None, [], {}, {"audio_seconds": 1, "published": {}, "set": {}}):
        with pytest.raises(EngineError, match="no result that can be read"):
            read_comparison(other)


def test_the_command_hears_both_ways_with_the_settings_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[CaptionOptions] = []

    def note(recognizer: object, samples: object, options: CaptionOptions, told: object) -> Replayed:
        heard.append(options)
        return AS_SET

    monkeypatch.setattr(compare, "replay", note)
    model = str(write_random_model(tmp_path / "tiny", n_audio_ctx=1500))
    chosen = replace(Preferences(), captions=CaptionOptions(language="en", step_seconds=0.7))
    settings = tmp_path / "settings.json"
    settings.write_text(written(chosen))
    assert main(["compare", "--model", model, "--seconds", "2", "--settings", str(settings)]) == 0
    assert "Whisper-Streaming, as published" in capsys.readouterr().out
    published, as_set = heard
    assert as_set == chosen.captions
    assert (published.policy, published.padding, published.decode.beam_size) == ("local-agreement", "full", 5)
    assert published.language == "en"


def test_the_command_measures_a_real_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(write_random_model(tmp_path / "tiny", n_audio_ctx=1500))
    clip = write_wav(tmp_path / "speech.wav", say().samples)
    assert main(["compare", str(clip), "--model", model, "--seconds", "2", "--json", "--progress"]) == 0
    out, err = capsys.readouterr()
    comparison = read_comparison(json.loads(out))
    assert comparison.audio_seconds == 2.0
    assert comparison.published.real_time_factor > 0 and comparison.set_now.real_time_factor > 0
    assert [line for line in err.splitlines() if " of 4: " in line][-1] == "4 of 4: seconds of sound"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/nowhere/at/all.wav"], "all.wav"),
        (["--seconds", "0"], "between 2 and 600"),
        (["--settings", "/nowhere/at/all.json"], "cannot be read"),
        (["--settings", __file__], "holds no settings"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *arguments]) in (1, 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_the_dialog_shows_both_ways_side_by_side(dialog: ComparisonDialog, script: Script, qtbot: QtBot) -> None:
    script(
        "sys.stderr.write('1 of 32: seconds of sound\\n30 of 32: seconds of sound\\n')\n"
        f"print({json.dumps(as_record(COMPARISON))!r})"
    )
    states: list[str] = []
    dialog.run.progressed.connect(lambda *_: states.append(dialog._state.text()))
    with qtbot.waitSignal(dialog.run.ended):
        dialog.start.click()
    assert states == ["Hearing it as published…", "Hearing it as set now…"]
    assert dialog.published.delay.text() == "1.93 s"
    assert dialog.set_now.delay.text() == "0.41 s"
    assert dialog.published._rows["flicker"].text() == "10%"
    assert dialog.set_now._rows["flicker"].text() == "–"
    assert dialog.set_now.text.toPlainText() == "Good morning, every one."
    assert "16 seconds" in dialog._state.text()
    assert dialog.start.isVisible() and not dialog.cancel.isVisible()


def test_the_dialog_passes_on_the_recording_the_model_and_the_settings(
    dialog: ComparisonDialog, script: Script, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    settings.alter(lambda now: replace(now, captions=CaptionOptions(step_seconds=0.7)))
    script(
        "step = json.load(sys.stdin)['captions']['step_seconds']\n"
        "sys.stderr.write(f'{sys.argv[1:]} {step}'.replace('\\n', ' ') + '\\n'); sys.exit(1)"
    )
    clip = tmp_path / "--odd.wav"
    dialog.choose(clip)
    assert dialog.clip.currentText() == "--odd.wav"
    with qtbot.waitSignal(dialog.run.failed):
        dialog.start.click()
    arguments = ["compare", "--json", "--progress", "--model", "starter", "--settings", "-", "--", str(clip)]
    assert dialog._state.text() == f"{arguments} 0.7"


def test_a_result_that_is_none_is_a_sentence(dialog: ComparisonDialog, script: Script, qtbot: QtBot) -> None:
    script("print('what?')")
    with qtbot.waitSignal(dialog.run.ended):
        dialog.start.click()
    assert "no result that can be read" in dialog._state.text()


def test_closing_the_dialog_ends_the_measurement(dialog: ComparisonDialog, script: Script, qtbot: QtBot) -> None:
    for end in (dialog.close, dialog.reject, dialog.cancel.click):
        dialog.show()
        script("sys.stderr.write('1 of 9: x\\n'); sys.stderr.flush()\nwhile True: time.sleep(9)")
        with qtbot.waitSignal(dialog.run.progressed):
            dialog.start.click()
        end()
        assert not dialog.run.is_running
        assert dialog.start.isVisibleTo(dialog)


def test_nothing_is_compared_while_captions_are_made(panel: TuningPanel, dialog: ComparisonDialog) -> None:
    panel.set_recording(True)
    assert not dialog.start.isEnabled() and dialog.start.toolTip()
    panel.set_recording(False)
    assert dialog.start.isEnabled()
