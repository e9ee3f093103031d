"""Spoken translation on the command line: its file, its loudspeaker, and where neither makes sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.history.export.formats import ExportError
from app.terminal.cli import main
from app.terminal.spoken_out import SpokenOut
from engine.audio import SAMPLE_RATE_HZ
from engine.events import SpokenTranslation

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


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--speak-out", "x.wav"], "add --translate"),
        (["--speak-out", "x.wav", "--translate", "de", "--careful"], "without --export"),
        (["--speak", "--translate", "de"], "add --realtime"),
    ],
)
def test_what_cannot_be_spoken_live_is_refused(
    arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["caption", TALK, *arguments]) != 0
    assert advice in capsys.readouterr().err
