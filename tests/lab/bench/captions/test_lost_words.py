"""The bench of lost words: planted gaps are found, and nothing else counts as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.terminal.cli import main
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import NO_REFERENCE, Recognizer, WhisperRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.options import CaptionOptions
from lab.bench.captions import lost_words, people
from lab.bench.captions.clips import Clip, Utterance
from lab.bench.captions.lost_words import ClipGaps, gaps_of

TEXT = "We saw the old cat sit down on the mat. Nobody asked how long it would stay. At night all of them went home."
SAID = TEXT.split()
WORDS = tuple(Word(f" {text}", 1 + 0.5 * place, 1.4 + 0.5 * place) for place, text in enumerate(SAID))
SECONDS = WORDS[-1].end + 1.0
NOISE = np.random.default_rng(0).normal(0, 0.05, round(SECONDS * SAMPLE_RATE_HZ)).astype(np.float32)
CLIP = Clip("planted", TEXT, samples=NOISE, words=WORDS, utterances=(Utterance(TEXT, 0.0, SECONDS),))
OPTIONS = replace(CaptionOptions(), voice_gate=False, second_look=False, pipeline=False)


class Ear(Recognizer):
    """A recognizer that knows what is said, and leaves out the words at some places, or writes others."""

    languages = ("en",)
    buffer_seconds = 30.0

    def __init__(self, write: Callable[[int, str], str] = lambda place, text: text) -> None:
        self._write = write

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        end = offset_seconds + len(samples) / SAMPLE_RATE_HZ
        placed = [(place, word) for place, word in enumerate(WORDS) if word.start >= offset_seconds and word.end <= end]
        heard = [replace(word, text=self._write(place, word.text)) for place, word in placed]
        return Hypothesis(tuple(word for word in heard if word.text), "en")


def without(*places: int) -> Ear:
    return Ear(lambda place, text: "" if place in places else text)


def found(live: Ear, whole: Ear | None = None) -> ClipGaps:
    return gaps_of(live, whole or Ear(), CLIP, OPTIONS, lambda: 0.0)


def test_nothing_is_lost_where_every_word_is_written() -> None:
    heard = found(Ear())
    assert (heard.words, heard.captions, heard.gaps) == (len(SAID), 3, ())


@pytest.mark.parametrize("places", [range(8, 13), range(12, 16), range(18, 22)])
def test_words_that_live_captions_lack_are_lost(places: range) -> None:
    (gap,) = found(without(*places)).gaps
    assert (gap.lost, gap.heard_later) == (len(places), True)


def test_a_few_words_or_other_words_are_mistakes_and_not_lost() -> None:
    assert found(without(8, 9, 10)).gaps == ()
    assert found(Ear(lambda place, text: " er" if 8 <= place < 13 else text)).gaps == ()


def test_what_the_whole_utterance_lacks_too_is_told_apart() -> None:
    (gap,) = found(without(*range(8, 13)), without(*range(7, 12))).gaps
    assert not gap.heard_later


def test_no_word_of_people_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of this repository, several utterances in a row, by the starter."""
    monkeypatch.setenv(people.DATA_VARIABLE, "/nowhere")
    clip = people.joined_and_single("judge", 0.4)[0]
    starter = WhisperRecognizer(load_hearing_model("starter"), CaptionOptions().decode)
    heard = gaps_of(starter, starter, clip, replace(CaptionOptions(), second_look=False, step_seconds=0.8), lambda: 0.0)
    assert len(clip.utterances) > 1 and heard.captions > 1
    assert heard.gaps == ()


def test_a_recording_that_was_saved_is_not_heard_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(people.DATA_VARIABLE, "/nowhere")
    heard: list[Clip] = []

    def counted(live: Recognizer, whole: Recognizer, clip: Clip, *_: object) -> ClipGaps:
        heard.append(clip)
        return ClipGaps(60.0, 10, 2, ())

    monkeypatch.setattr(lost_words, "gaps_of", counted)
    for _ in range(2):
        assert main(["bench", "lost-words", "--minutes", "0.4", "--save", str(tmp_path / "found.jsonl")]) == 0
    assert [clip.name for clip in heard] == [clip.name for clip in people.joined_and_single("judge", 0.4)]


def test_minutes_must_be_above_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "lost-words", "--minutes", "0"]) != 0
    assert "--minutes must be above 0" in capsys.readouterr().err
