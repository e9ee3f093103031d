"""Finished captions are heard again with what is around them, and corrected once; no word is lost or doubled by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.audio.feed import feed
from engine.captions.second_look import AFTER_SECONDS, LATE_SECONDS, SecondLook, _Line, _Look, _words_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption, LoadShed, Translation, Word, text_of
from engine.hear.recognizer import NO_REFERENCE, Reference
from engine.options import CaptionOptions
from tests.hear.planted import PlantedRecognizer, is_voiced, plant
from tests.scripted_translator import ScriptedTranslator, translating


class Ear(PlantedRecognizer):
    """An ear that hears some planted words otherwise, by their numbers; several words are heard as one after another.

    Attributes:
        drafts: the words that it was given to begin with.
    """

    def __init__(self, words: Sequence[Word], otherwise: dict[int, str] | None = None) -> None:
        super().__init__(words, unsteady_seconds=0.0)
        self.otherwise = otherwise or {}
        self.drafts: list[str] = []

    def hear(self, samples: np.ndarray, *, reference: Reference = NO_REFERENCE, **rest: object):  # type: ignore[no-untyped-def, override]
        self.drafts.append("".join(word.text for word in reference.expected).strip())
        heard = super().hear(samples, reference=reference, **rest)  # type: ignore[arg-type]
        words = tuple(each for word in heard.words for each in self._as_heard(word))
        return replace(heard, words=words)

    def _as_heard(self, word: Word) -> list[Word]:
        number = next((n for n, each in enumerate(self.words, 1) if each.text == word.text), 0)
        texts = self.otherwise.get(number, word.text).split()
        length = (word.end - word.start) / max(1, len(texts))
        starts = [word.start + index * length for index in range(len(texts))]
        return [Word(f" {text}", start, start + length) for text, start in zip(texts, starts, strict=True)]


def said(text: str, start: float = 0.5, pause_after: str = "|") -> list[Word]:
    """Make words of 0.3 s, one every 0.4 s; after a bar comes a pause of two seconds."""
    words, now = [], start
    for part in text.split():
        if part == pause_after:
            now += 2.0
            continue
        words.append(Word(f" {part}", now, now + 0.3))
        now += 0.4
    return words


TALK = said("One two three four five six seven. Eight nine ten eleven twelve thirteen. Last words of all said here.")
CHOICE = CaptionOptions(step_seconds=0.5, policy="local-agreement")


def captioned(
    live: Ear, again: Ear, words: Sequence[Word], translator: ScriptedTranslator | None = None
) -> list[Caption | Translation]:
    translation = translating(translator) if translator else None
    session = CaptionSession(
        live, CHOICE, SimulatedClock(live.timer), voice=is_voiced, second_ear=again, translation=translation
    )
    samples = plant(words, words[-1].end + 1.0)
    return list(feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast"))


def kept(shown: Sequence[Caption | Translation]) -> str:
    newest = {each.id: each for each in shown if isinstance(each, Caption) and each.final}
    return " ".join(newest[number].text for number in sorted(newest))


def corrections(shown: Sequence[Caption | Translation]) -> list[Caption]:
    return [each for each in shown if isinstance(each, Caption) and each.first_text]


TEXT = "".join(word.text for word in TALK).strip()


def test_a_finished_caption_gets_the_words_that_are_heard_in_context() -> None:
    shown = captioned(Ear(TALK, {3: "tree", 10: "tan"}), Ear(TALK), TALK)
    assert kept(shown) == TEXT
    first, second = corrections(shown)
    assert first.text == "One two three four five six seven." and first.first_text == first.text.replace(
        "three", "tree"
    )
    assert second.first_text == "Eight nine tan eleven twelve thirteen." and second.final and not second.pending


def test_each_caption_is_corrected_once_at_most_and_its_words_stay_in_order() -> None:
    shown = captioned(Ear(TALK, {3: "tree", 8: "Ate", 14: "Lost"}), Ear(TALK), TALK)
    found = corrections(shown)
    assert len({each.id for each in found}) == len(found) == 3
    words = [word for each in found for word in each.committed]
    assert all(before.end <= after.start for before, after in pairwise(words))


def test_nothing_is_shown_again_where_the_second_look_agrees() -> None:
    assert not corrections(captioned(Ear(TALK), Ear(TALK), TALK))


@pytest.mark.parametrize("lost", [7, 8, 13, 14])
def test_a_word_that_was_lost_between_two_captions_is_found_once(lost: int) -> None:
    shown = captioned(Ear(TALK, {lost: ""}), Ear(TALK), TALK)
    found, wanted = kept(shown).replace(".", "").lower().split(), TEXT.replace(".", "").lower().split()
    assert [word for word in wanted if found.count(word) != 1] == []


@pytest.mark.parametrize("changed", [{7: "seven. Uh,"}, {8: "Uh, eight"}, {7: "heaven."}, {8: "Late"}])
def test_words_beside_a_join_are_neither_lost_nor_doubled(changed: dict[int, str]) -> None:
    for live, again in (({}, changed), (changed, {})):
        found = (
            kept(captioned(Ear(TALK, live), Ear(TALK, again), TALK)).lower().replace(".", "").replace(",", "").split()
        )
        others = [w for n, w in enumerate(TEXT.lower().replace(".", "").split(), 1) if n not in (7, 8)]
        assert [word for word in others if found.count(word) != 1] == []
        assert sum(found.count(word) for word in ("seven", "heaven")) == 1
        assert sum(found.count(word) for word in ("eight", "late")) == 1


@pytest.mark.parametrize("passed_over", [range(3, 7), range(8, 12), range(9, 14), range(15, 19)])
def test_a_stretch_that_the_second_look_passes_over_stays(passed_over: range) -> None:
    again = Ear(TALK, dict.fromkeys(passed_over, ""))
    shown = captioned(Ear(TALK, {1: "Won"}), again, TALK)
    assert kept(shown) == TEXT
    assert [each.first_text for each in corrections(shown)] == ["Won two three four five six seven."]


def test_words_of_the_next_line_do_not_stand_in_for_those_of_a_loop() -> None:
    """The live text ended in a loop, and the next line was misheard: their words are told apart by their times."""
    own, after = said("add one and" + 9 * " one"), said("wall that meets", start=5.4)
    caption = Caption(1, 0, own[0].start, own[-1].end, tuple(own), (), True, 5.3, 5.3)
    look = _Look(_Line(caption, "en"), 6.0, (), tuple(after), True, iter(()))  # type: ignore[arg-type]
    heard = [*said("add one and one half cups of"), *said("walnut meats broken", start=5.4)]
    assert text_of(_words_of(look, heard)) == "add one and one half cups of"


def test_a_word_too_many_is_still_removed() -> None:
    assert kept(captioned(Ear(TALK, {3: "three three uh three"}), Ear(TALK), TALK)) == TEXT


@pytest.mark.parametrize("longest", [3.5, 5.0])
def test_a_look_is_no_longer_than_the_ear_is_good_at(longest: float) -> None:
    again = Ear(TALK)
    again.window_seconds = longest  # type: ignore[attr-defined]
    captioned(Ear(TALK, {10: "tan"}), again, TALK)
    for begin, end, _ in again.calls:
        own = [word for word in TALK if word.end + AFTER_SECONDS <= end + 0.1]
        assert end - begin <= longest or begin >= own[-1].start - 3.0


@pytest.mark.parametrize("longest", [3.0, 6.0])
def test_an_ear_that_hears_no_more_than_this_at_once_still_corrects_the_lines_that_fit(longest: float) -> None:
    again = Ear(TALK)
    again.window_seconds = again.longest_seconds = longest  # type: ignore[attr-defined]
    shown = captioned(Ear(TALK, {17: "heaven"}), again, TALK)
    assert corrections(shown) and again.calls and all(end - begin <= longest + 1e-6 for begin, end, _ in again.calls)


def test_a_line_that_ends_with_the_audio_is_heard_again() -> None:
    again = Ear(TALK)
    look = SecondLook(again, SimulatedClock(), 0.0, lambda incident: None)
    look.add(plant(TALK[:7], TALK[6].end))
    end = math.nextafter(look._audio.end_seconds, math.inf)  # by two roundings of the same moment
    words = (*TALK[:6], replace(TALK[6], end=end))
    look.offer([Caption(1, 1, words[0].start, end, words, (), True, end, end)], "en", closed_until=end)
    assert list(look.finish()) == [] and len(again.calls) == 1


def test_the_first_text_is_the_draft_and_what_is_around_it_is_heard_too() -> None:
    again = Ear(TALK)
    captioned(Ear(TALK, {10: "tan"}), again, TALK)
    (draft,) = [each for each in again.drafts if "thirteen" in each and each.startswith("One")]
    assert draft.startswith("One two three") and "Eight nine tan eleven twelve thirteen." in draft
    begin, end, _ = again.calls[again.drafts.index(draft)]
    assert begin <= TALK[0].start and end == pytest.approx(TALK[12].end + AFTER_SECONDS, abs=0.1)


def test_a_correction_comes_soon_after_the_sentence() -> None:
    for each in corrections(captioned(Ear(TALK, {3: "tree", 10: "tan"}), Ear(TALK), TALK)):
        assert each.emitted_seconds - each.end < 3.0


def test_what_a_sentence_is_translated_to_follows_its_better_words() -> None:
    translator = ScriptedTranslator()
    shown = captioned(Ear(TALK, {3: "tree"}), Ear(TALK), TALK, translator)
    (caption,) = corrections(shown)
    finals = [each for each in shown if isinstance(each, Translation) and each.final and each.id == caption.id]
    assert finals[-1].revision == caption.revision and finals[-1].source == caption.text


def test_a_slow_machine_leaves_the_second_look_out_first() -> None:
    live, again = Ear(TALK, {3: "tree"}), Ear(TALK)
    session = CaptionSession(live, CHOICE, SimulatedClock(live.timer), voice=is_voiced, second_ear=again, live=True)
    assert session._timetable._shedding is not None
    session._timetable._shedding.shed = LoadShed.TRANSLATION
    session.add_audio(plant(TALK, TALK[-1].end + 0.2))
    list(session.update())
    assert not session.has_spare_work and not again.calls
    session._timetable._shedding.shed = LoadShed.NOTHING
    assert session.has_spare_work
    session.close()


def test_a_caption_whose_audio_another_session_heard_keeps_its_words() -> None:
    """A restarted engine is given the caption that was open, and only the newest of its audio."""
    begun = Caption(4, 2, 0.5, 3.3, tuple(TALK[:7]), (), False, 3.3, 3.3)
    live, again, clock = Ear(TALK), Ear(TALK, {3: "tree", 4: ""}), SimulatedClock()
    session = CaptionSession(live, CHOICE, clock, voice=is_voiced, second_ear=again, start_seconds=2.0, ids=count(5))
    session.recall(begun.committed, begun)
    samples = plant(TALK, TALK[-1].end + 1.0)[2 * SAMPLE_RATE_HZ :]
    shown = list(feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast"))
    assert kept(shown) == TEXT
    assert not [each for each in corrections(shown) if each.id == 4]


def test_a_look_that_has_waited_goes_before_translations() -> None:
    again = Ear(TALK)
    session = CaptionSession(Ear(TALK), CHOICE, SimulatedClock(lambda: 0.0), voice=is_voiced, second_ear=again)
    look = session._second_look
    assert look is not None
    look.add(plant(TALK)[: 6 * SAMPLE_RATE_HZ])
    look.offer([Caption(1, 0, 0.5, 3.2, tuple(TALK[:7]), (), True, 5.3, 5.3)], "en")
    assert look.busy and look.is_late
    assert 3.2 + LATE_SECONDS <= 6.0
    session.close()
    assert not look.busy


def test_a_line_in_a_language_that_the_second_model_does_not_hear_stays_as_it_is() -> None:
    again = Ear(TALK)
    again.languages = ("de",)
    assert kept(captioned(Ear(TALK, {3: "tree"}), again, TALK)) == TEXT.replace("three", "tree")
    assert again.drafts == []


def test_a_second_look_that_fails_is_reported_once_and_the_captions_go_on() -> None:
    class Broken(Ear):
        def hear(self, samples: np.ndarray, **rest: object):  # type: ignore[no-untyped-def, override]
            raise MemoryError("no memory")

    live = Ear(TALK, {3: "tree"})
    session = CaptionSession(live, CHOICE, SimulatedClock(live.timer), voice=is_voiced, second_ear=Broken(TALK))
    samples = plant(TALK, TALK[-1].end + 1.0)
    shown = list(feed([samples[at : at + 1600] for at in range(0, len(samples), 1600)], session, pace="fast"))
    assert kept(shown) == TEXT.replace("three", "tree") and not corrections(shown)
    (incident,) = session.incidents
    assert incident.message.startswith("Finished captions are not corrected any more: ")
