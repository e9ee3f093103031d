from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine.assistant.question import QuestionHearing
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Hypothesis, LoadShed, Reference, Word, text_of
from engine.hear.recognizer import NO_REFERENCE, Recognizer, Stage
from engine.hear.rounds.alignatt import LATE_PROBABILITY, LATE_SECONDS, LEAST_PROBABILITY, AlignAtt
from engine.hear.rounds.other_beginning import MOST_BEFORE_SECONDS, OtherBeginning
from engine.hear.rounds.transcriber import Transcriber
from engine.options import CaptionOptions, DecodeOptions
from tests.hear.planted import is_voiced


def said(text: str, start: float = 0.0, probability: float = 1.0, **unlikely: float) -> tuple[Word, ...]:
    """Make words of half a second each without gaps; those that are named have another probability."""
    return tuple(
        Word(f" {each}", start + 0.5 * place, start + 0.5 * place + 0.5, unlikely.get(each, probability))
        for place, each in enumerate(text.split())
    )


@dataclass
class Listener:
    """Hears the given words, whatever the audio, and keeps what it was asked."""

    words: tuple[Word, ...]
    asked: list[tuple[Samples, float, str, Reference]] = field(default_factory=list)

    def __call__(
        self, samples: Samples, begin: float, before: str, reference: Reference
    ) -> Generator[Stage, None, tuple[Word, ...]]:
        self.asked.append((samples, begin, before, reference))
        yield "encoded"
        return self.words


def stream(seconds: float, words: Sequence[Word], listener: Listener) -> OtherBeginning:
    """Make the end of a stream whose samples count themselves, in which words were committed."""
    other = OtherBeginning(0.0, listener)
    other.add(np.arange(round(seconds * SAMPLE_RATE_HZ), dtype=np.float32))
    other.note(words)
    return other


COMMITTED, NEWEST = said("the cat sat on"), said("a mat and slept", 2.0, mat=0.5)
MAT = range(1, 2)


@pytest.mark.parametrize(
    ("heard", "instead"),
    [
        (said("the cat sat on a map and", map=LEAST_PROBABILITY), "map"),
        (said("the cat sat on a big map and slept"), "big map"),
        ((*said("the cat sat on a map"), Word(" ", 2.9, 3.0), *said("and slept", 3.0)), "map"),  # an empty word
        (said("the cat sat on a map and", map=LEAST_PROBABILITY - 0.01), "mat"),  # unlikely
        (said("the cat sat on a map slept well"), "mat"),  # the word behind it differs
        (said("the cat sat on the map and slept"), "mat"),  # the word before it differs
        (said("the cat sat on a and slept"), "mat"),  # nothing in its place
        ((), "mat"),
    ],
)
def test_likely_words_between_the_same_neighbours_take_the_place(heard: tuple[Word, ...], instead: str) -> None:
    listener = Listener(heard)
    found = stream(5.0, COMMITTED, listener).hear(NEWEST, MAT, 5.0)
    assert text_of(found) == instead and len(listener.asked) == 1
    assert all(word.text.strip() and word.end <= NEWEST[2].start for word in found)


def heard_ahead(heard: tuple[Word, ...], until: float) -> tuple[str, list[float]]:
    """Return what takes the place of the mat after a hearing ahead up to a second, and where each hearing ended."""
    listener = Listener(heard)
    other = stream(5.0, COMMITTED, listener)
    other.begin(NEWEST, MAT, until)
    while other.busy:
        other.step()
    found = other.hear(NEWEST, MAT, 5.0)
    return text_of(found), [round(begin + len(samples) / SAMPLE_RATE_HZ, 2) for samples, begin, *_ in listener.asked]


def test_what_was_heard_ahead_is_not_heard_again() -> None:
    assert heard_ahead(said("the cat sat on a map and"), 3.6) == ("map", [3.6])
    assert heard_ahead(said("the cat sat on a map and"), 3.2) == ("map", [3.2])  # in the middle of the next word
    assert heard_ahead(said("the cat sat on a map but"), 3.6) == ("mat", [3.6])


def test_what_cannot_be_told_from_less_audio_is_heard_again() -> None:
    assert heard_ahead(said("the cat sat on a map but"), 3.2) == ("mat", [3.2, 5.0])  # the next word was cut off
    assert heard_ahead(said("the cat sat on a map and"), 2.8) == ("map", [2.8, 5.0])  # nothing of it was there


def test_the_same_word_stays_as_it_was_written() -> None:
    found = stream(5.0, COMMITTED, Listener(said("the cat sat on a Mat, and"))).hear(NEWEST, MAT, 5.0)
    assert found == NEWEST[1:2]


def test_a_word_that_nothing_follows_is_not_heard_again() -> None:
    listener = Listener(())
    assert stream(5.0, COMMITTED, listener).hear(NEWEST[:2], MAT, 5.0) == NEWEST[1:2] and not listener.asked


def test_the_audio_begins_in_the_longest_pause_some_seconds_before_and_the_text_before_it_is_the_prompt() -> None:
    early, rest = said("it was late so", 7.0), said("he went to bed at once and slept very well", 9.4)
    listener = Listener(())
    stream(16.0, (*early, *rest), listener).hear(said("a mat and", 14.4, mat=0.5), MAT, 15.9)
    samples, begin, before, reference = listener.asked[0]
    assert begin == pytest.approx(9.4 - MOST_BEFORE_SECONDS) and before == " it was late so"
    assert samples[0] == round(begin * SAMPLE_RATE_HZ) and samples[-1] == round(15.9 * SAMPLE_RATE_HZ) - 1
    assert (
        text_of((*reference.committed, *reference.expected)) == "he went to bed at once and slept very well a mat and"
    )
    assert reference.goes_on


def test_only_audio_that_is_there_is_heard_again() -> None:
    listener = Listener(())
    other = OtherBeginning(10.0, listener)
    other.add(np.ones(3 * SAMPLE_RATE_HZ, np.float32))
    other.note(said("it was late", 8.5))  # words of an earlier session
    other.hear(said("a mat and", 10.2, mat=0.5), range(1, 2), 12.5)
    other.hear(said("mat and", 10.02, mat=0.5), range(1), 12.5)
    asked = [(len(samples) / SAMPLE_RATE_HZ, begin, before) for samples, begin, before, _ in listener.asked]
    assert asked == [(2.4, pytest.approx(10.1), " it was late"), (2.5, 10.0, " it was late")]


def test_a_first_word_is_set_off_as_the_old_one_was() -> None:
    heard = (Word("Ma", 0.0, 0.4, 1.0), *said("and slept", 0.5))
    found = stream(3.0, (), Listener(heard)).hear(said("Mat and slept", Mat=0.5), range(1), 3.0)
    assert [word.text for word in found] == [" Ma"]


def late(words: Sequence[Word], until: float) -> list[range]:
    """Return the places of doubtful words that a policy has heard again in two commitments."""
    asked: list[range] = []

    def hear_again(newest: Sequence[Word], doubtful: range) -> Sequence[Word]:
        asked.append(doubtful)
        return newest[doubtful.start : doubtful.stop]

    policy = AlignAtt(0.25, 0.95)
    for heard_until in (until - 0.4, until):
        policy.insert(words, heard_until, hear_again=hear_again)
    return asked


def test_words_that_are_unlikely_long_after_they_ended_are_heard_again() -> None:
    doubt = LATE_PROBABILITY - 0.01
    assert late(said("a b c d e", b=doubt, d=doubt), 4.0) == [range(3)]
    assert late(said("a b c d e", b=LATE_PROBABILITY), 4.0) == []


@pytest.mark.parametrize("ended", [1.5, 1.3])
@pytest.mark.parametrize("instead", [Word(" map", 1.0, 1.5), Word(" map", 0.7, 0.9)])
def test_rounds_that_still_write_what_was_heard_otherwise_lose_and_double_no_word(ended: float, instead: Word) -> None:
    policy = AlignAtt(0.25, 0.95)
    mat, sat = Word(" mat", 1.0, 1.5, 0.55), Word(" sat", 1.5, 2.0, 0.55)
    committed = [
        *policy.insert((mat, sat), 2.0),
        *policy.insert((mat, sat), 2.4, hear_again=lambda newest, doubtful: (instead,)),
    ]
    assert text_of(committed) == "map"
    newest = (replace(mat, end=ended), replace(sat, start=ended), *said("still", 2.0))
    for heard_until in (2.8, 3.2):
        committed += policy.insert(newest, heard_until)
    assert text_of(committed) == "map sat still"


def test_what_the_draft_says_too_is_committed_before_it_is_late() -> None:
    asked: list[range] = []
    words = said("a b c", b=LATE_PROBABILITY - 0.01)
    committed = AlignAtt(0.25, 0.95).insert(
        words, words[1].end + LATE_SECONDS - 0.01, words, lambda newest, doubtful: asked.append(doubtful) or newest
    )
    assert text_of(committed).startswith("a b") and not asked


SPEECH_SECONDS = 1.0
"""Start of the speech that is captioned."""


@dataclass
class Ears(Recognizer):
    """Hears one thing in audio that begins before the speech, and another one else."""

    languages: tuple[str, ...] = ("en",)
    buffer_seconds: float = 6.0
    hearings: int = 0

    def hear(
        self,
        samples: np.ndarray,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        self.hearings += 1
        again = offset_seconds < SPEECH_SECONDS
        return Hypothesis(said(f"a {'map' if again else 'mat'} and slept well", SPEECH_SECONDS, mat=0.5), "en")

    def with_one_candidate(self) -> Recognizer:
        return self


def captioned(shed: LoadShed = LoadShed.NOTHING, *, hears_again: bool = True, **options: object) -> tuple[str, int]:
    """Return what is committed in rounds over four seconds of speech, and how often the recognizer heard."""
    ears = Ears()
    chosen = CaptionOptions(language="en", **options)  # type: ignore[arg-type]
    transcriber = Transcriber(ears, chosen, hears_again=hears_again)
    transcriber.spare(shed)
    transcriber.add(np.zeros(round(SPEECH_SECONDS * SAMPLE_RATE_HZ), np.float32))
    transcriber.begin_speech(SPEECH_SECONDS, 0.0)
    committed: list[Word] = []
    for _ in range(8):
        transcriber.add(np.full(SAMPLE_RATE_HZ // 2, 0.1, np.float32))
        committed += transcriber.hear().committed
    return text_of(committed), ears.hearings


def test_a_round_commits_what_was_heard_from_the_other_beginning() -> None:
    text, hearings = captioned()
    assert text.startswith("a map and") and hearings == 9


@pytest.mark.parametrize(
    ("shed", "options"),
    [
        (LoadShed.CANDIDATES, {}),
        (LoadShed.NOTHING, {"hears_again": False}),
        (LoadShed.NOTHING, {"decode": DecodeOptions(beam_size=5)}),
        (LoadShed.NOTHING, {"policy": "local-agreement"}),
    ],
)
def test_where_time_is_short_or_rounds_search_more_nothing_is_heard_again(
    shed: LoadShed, options: dict[str, object]
) -> None:
    text, hearings = captioned(shed, **options)  # type: ignore[arg-type]
    assert text.startswith("a mat and") and hearings == 8


def test_nobody_waits_longer_for_an_answer_because_words_are_heard_again() -> None:
    hearing = QuestionHearing(Ears(), CaptionOptions(), SimulatedClock(), is_voiced, 0.5)
    captions = CaptionSession(Ears(), CaptionOptions(), SimulatedClock(), voice=is_voiced)
    assert hearing._captions._transcriber._other_beginning is None
    assert captions._transcriber._other_beginning is not None
