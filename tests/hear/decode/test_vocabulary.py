"""The user's words and names: taken where the sound supports them, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from engine.audio.source import read_audio
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Reference
from engine.hear.decode.beam import TextCandidate
from engine.hear.decode.reference import accepted
from engine.hear.decode.tokenizer import load_tokenizer
from engine.hear.decode.vocabulary import MARGIN, Branch, Vocabulary, clusters
from engine.hear.recognizer import Recognizer, WhisperRecognizer
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.options import CaptionOptions, DecodeOptions
from tests.people_clips import PEOPLE

NAMES = ("Ruggedo", "Shimerda", "Kubernetes", "Anna Kowalczyk", "dhourra")
TOKENS = load_tokenizer(99, False)


@pytest.fixture(scope="module")
def heard_by() -> Callable[..., Recognizer]:
    """Make recognizers of the starter."""
    hearing = load_hearing_model("starter")

    def make(vocabulary: tuple[str, ...], **options: object) -> Recognizer:
        return WhisperRecognizer(hearing, DecodeOptions(vocabulary=vocabulary, **options))  # type: ignore[arg-type]

    return make


def samples(name: str) -> np.ndarray:
    return read_audio(next((PEOPLE / "librispeech").glob(f"{name}.*")))


RUGGEDO = "1272-135031-0005"


@pytest.mark.parametrize("beam", [1, 5])
def test_a_name_that_sounds_like_what_was_written_takes_its_place(
    heard_by: Callable[..., Recognizer], beam: int
) -> None:
    said = samples(RUGGEDO)
    plain = heard_by((), beam_size=beam).hear(said, offset_seconds=0.0, prompt="", language="en")
    known = heard_by(NAMES, beam_size=beam).hear(said, offset_seconds=0.0, prompt="", language="en")
    assert "Ruggedo" not in plain.text
    assert "begged Ruggedo" in known.text
    assert known.words[-1].text == plain.words[-1].text
    (word,) = (word for word in known.words if word.text == " Ruggedo")
    assert 0.5 < word.probability <= 1  # so that it is committed like a word that the model knew
    assert known.forwards > plain.forwards


def test_a_name_stays_in_the_next_round_without_being_searched_again(heard_by: Callable[..., Recognizer]) -> None:
    recognizer, said = heard_by(NAMES, reuse="verify", draft=False), samples(RUGGEDO)
    first = recognizer.hear(said, offset_seconds=0.0, prompt="", language="en")
    reference = Reference(expected=first.words)
    again = recognizer.hear(said, offset_seconds=0.0, prompt="", language="en", reference=reference)
    assert again.text == first.text
    assert again.reused_tokens == again.tokens
    assert again.forwards == 1


@pytest.mark.parametrize(
    ("name", "entry", "written"),
    [(RUGGEDO, "Rugged", "begged Rugged a"), ("2035-147961-0017", "Summary", "Shimerre")],
    ids=["taken", "refused"],
)
def test_what_was_decided_clearly_is_not_decided_again_for_the_same_words(
    heard_by: Callable[..., Recognizer], name: str, entry: str, written: str
) -> None:
    recognizer, said = heard_by((entry,), draft=False), samples(name)
    first, again = (recognizer.hear(said, offset_seconds=0.0, prompt="", language="en") for _ in range(2))
    assert written in first.text and again.text == first.text
    assert again.forwards == first.forwards - 1


@pytest.mark.parametrize("options", [{}, {"decoder": "multitoken"}, {"decoder": "multitoken", "beam_size": 2}], ids=str)
def test_a_speech_llama_reads_entries_beside_what_it_wrote(options: dict[str, object]) -> None:
    model, said = load_speech_llama("starter-speech-llama"), samples("2035-147961-0017")
    plain, known = (
        SpeechLlamaRecognizer(model, DecodeOptions(vocabulary=listed, **options)).hear(said, language="en")  # type: ignore[arg-type]
        for listed in ((), ("Chimera",))
    )
    assert known.forwards > plain.forwards
    assert known.text == plain.text  # the sound supports no such name


def test_words_that_nobody_said_appear_nowhere(heard_by: Callable[..., Recognizer]) -> None:
    said, others = samples("1272-135031-0007"), ("Nutcracker", "Worcester", "Eats", "Rapunzel", "Stanley", "Kingston")
    plain = heard_by(()).hear(said, offset_seconds=0.0, prompt="", language="en")
    assert heard_by(others).hear(said, offset_seconds=0.0, prompt="", language="en").text == plain.text


@pytest.mark.parametrize("loudness", [0.0, 0.01, 0.1])
def test_silence_and_noise_write_no_name(heard_by: Callable[..., Recognizer], loudness: float) -> None:
    noise = np.random.default_rng(0).normal(0, loudness, 4 * 16_000).astype(np.float32)
    options = CaptionOptions(language="en", decode=DecodeOptions(reuse="verify", vocabulary=NAMES))
    session = CaptionSession(heard_by(NAMES, reuse="verify"), options, SimulatedClock())
    session.add_audio(noise)
    list(session.commit())
    session.close()
    assert session.summary.text == ""


def test_an_empty_list_changes_nothing(heard_by: Callable[..., Recognizer]) -> None:
    said = samples("2035-147961-0017")
    empty, plain = (
        recognizer.hear(said, offset_seconds=0.0, prompt="", language="en")
        for recognizer in (heard_by(()), WhisperRecognizer(load_hearing_model("starter"), DecodeOptions()))
    )
    assert [(word.text, word.probability) for word in empty.words] == [
        (word.text, word.probability) for word in plain.words
    ]
    assert empty.forwards == plain.forwards


def test_listed_entries_are_found_in_a_text_except_at_its_end_and_inside_words() -> None:
    vocabulary = Vocabulary(("corn", "Ruggedo"), TOKENS)
    tokens = TOKENS.encode(" Corn for Ruggedo, cornish corn")
    assert [TOKENS.decode([tokens[place] for place in found]) for found in vocabulary.listed(tokens)] == [
        " Corn",
        " Ruggedo",
    ]


@pytest.mark.parametrize(("missed", "count"), [(MARGIN - 0.5, 3), (MARGIN + 0.5, 0)])
def test_a_listed_entry_of_the_last_round_stays_within_the_margin(missed: float, count: int) -> None:
    reference = [3, 4, 5]
    rows = [np.zeros(8, np.float32) for _ in range(4)]
    for row, token in zip(rows, [7, 4, 5, 6], strict=True):
        row[token] = 20.0
    rows[0][3] = 20.0 - missed
    kept = accepted(rows, reference, (), listed=[range(0, 2)])
    assert kept.tokens == tuple(reference[:count])
    assert not count or math.exp(kept.logprobs[0]) > 0.5


def test_nothing_is_offered_for_a_last_word_that_may_be_cut_off() -> None:
    vocabulary = Vocabulary(("Ruggedo",), TOKENS)

    def offered(text: str, goes_on: bool) -> list[str]:
        tokens = TOKENS.encode(text)
        written = TextCandidate(tuple(tokens), (-1.0,) * len(tokens), -1.0 * len(tokens), (1,) * len(tokens))
        return [TOKENS.decode(branch.tokens) for branch in vocabulary._branches(written, "en", goes_on)]

    assert offered(" They begged Ruggido.", False) == [" Ruggedo"]
    assert offered(" They begged Ruggido.", True) == []
    assert offered(" They begged Ruggido to", True) == [" Ruggedo"]


def test_branches_for_overlapping_words_compete() -> None:
    near, far, later = Branch(1, 3, (7,), 0.1), Branch(2, 4, (8,), 0.2), Branch(4, 5, (9,), 0.0)
    assert clusters([far, near, later]) == [[near, far], [later]]


def test_a_lower_case_entry_keeps_the_capital_letter_that_was_written() -> None:
    vocabulary = Vocabulary(("quilter", "iPhone"), TOKENS)
    assert TOKENS.decode(vocabulary._spelled("quilter", " Krilter", "'s")) == " Quilter's"
    assert TOKENS.decode(vocabulary._spelled("quilter", " krilter", "")) == " quilter"
    assert TOKENS.decode(vocabulary._spelled("iPhone", " Eye phone", "")) == " iPhone"
