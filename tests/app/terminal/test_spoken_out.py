"""Spoken translation on the command line: its file, its loudspeaker, and where neither makes sense."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.history.export.formats import ExportError
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import export_preferences
from app.sound.output_devices import LoudspeakerUnavailable
from app.sound.own_voice import OwnVoice
from app.terminal import caption_run
from app.terminal.caption_printer import JsonPrinter
from app.terminal.caption_run import Captioning, ExportFiles
from app.terminal.cli import main
from app.terminal.spoken_out import SpokenOut
from engine.audio import SAMPLE_RATE_HZ
from engine.captions.session import CaptionSession
from engine.captions.sides import CaptionSides
from engine.events import SpokenTranslation
from engine.options import CaptionOptions, VoiceOptions
from engine.process.messages import TranslationChoice
from tests.app.fake_player import FakePlayer
from tests.hear.planted import PlantedRecognizer

TALK = "assets/demo/talk.ogg"


def spoken(start_seconds: float, samples: int = 160) -> SpokenTranslation:
    sound = np.full(samples, 0.5, np.float32)
    return SpokenTranslation(1, "Ja.", sound.tobytes(), SAMPLE_RATE_HZ, 0.0, start_seconds)


def test_the_file_has_each_phrase_at_its_second_and_silence_between(tmp_path: Path) -> None:
    out = SpokenOut(path=tmp_path / "spoken.wav")
    for start in (0.5, 0.51, 2.0):
        out.add(spoken(start))
    out.close()
    samples, rate_hz = soundfile.read(tmp_path / "spoken.wav", dtype="float32")
    loud = np.flatnonzero(samples) / rate_hz
    assert (loud[0], loud[-1]) == pytest.approx((0.5, 2.01), abs=0.001)
    assert not np.any((loud > 0.53) & (loud < 1.99))


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"cannot be written"):
        SpokenOut(path=tmp_path / "nowhere" / "spoken.wav").add(spoken(0.0))


def test_a_voice_that_fails_is_closed_and_captions_go_on(tmp_path: Path) -> None:
    player, path = FakePlayer(), tmp_path / "spoken.wav"
    out = SpokenOut(OwnVoice(player), path)
    hearing_nothing = CaptionSession(PlantedRecognizer([]), CaptionOptions(second_look=False))
    captioning = Captioning(
        (), "fast", CaptionSides([hearing_nothing]), JsonPrinter(io.StringIO()), ExportFiles(), spoken=out
    )
    captioning._show(spoken(0.5))
    player.failure = LoudspeakerUnavailable("It was unplugged.")
    captioning._show(spoken(1.0))
    captioning._show(spoken(2.0))
    assert player.closed
    assert len(player.pieces) == 1
    assert soundfile.info(path).duration == pytest.approx(0.51, abs=0.001)


@pytest.mark.parametrize(
    ("flags", "voice"),
    [([], VoiceOptions("kokoro", "bf_emma", 150)), (["--voice", "espeak"], VoiceOptions("espeak", None, 150))],
)
def test_the_voice_is_that_of_the_settings_unless_another_is_given(
    flags: list[str], voice: VoiceOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, given = Preferences(), tmp_path / "mine.json"
    chosen = replace(usual.assistant, voice=VoiceOptions("kokoro", "bf_emma", 150))
    export_preferences(replace(usual, assistant=chosen), given)
    assert spoken_with(monkeypatch, tmp_path, *flags, "--settings", str(given)) == voice


def test_what_speaks_by_default_is_what_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spoken_with(monkeypatch, tmp_path) == VoiceOptions()


def spoken_with(monkeypatch: pytest.MonkeyPatch, folder: Path, *flags: str) -> VoiceOptions | None:
    """Return the voice that `earshot caption` would speak with."""
    found: list[TranslationChoice] = []
    monkeypatch.setattr(caption_run, "caption", lambda *_, translation, **__: found.append(translation))
    out = str(folder / "x.wav")
    assert main(["caption", TALK, "--translate", "en", "--speak-out", out, *flags]) == 0
    return found[0].voice


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--speak-out", "x.wav"], "add --translate"),
        (["--speak-out", "x.wav", "--translate", "de", "--careful"], "without --export"),
        (["--speak", "--translate", "de"], "add --realtime"),
        (["--voice", "espeak", "--translate", "de"], "add --speak or --speak-out"),
        (["--speak-out", "x.mp4", "--translate", "de"], "a .wav file, not to x.mp4"),
        (["--speak-out", "nowhere/x.wav", "--translate", "de"], "the folder nowhere does not exist"),
    ],
)
def test_what_cannot_be_spoken_live_is_refused(
    arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["caption", TALK, *arguments]) != 0
    assert advice in capsys.readouterr().err
