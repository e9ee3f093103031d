"""Captions that go on in another session of the engine: what it is told, and what is shown meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.engine_link.crashes import Link
from app.engine_link.unbroken_captions import ACHIEVED_SECONDS, KEPT_WORDS, Hearing, UnbrokenCaptions
from app.engine_link.uncovered_audio import RECALLED_SECONDS, UncoveredAudio
from engine.audio import SAMPLE_RATE_HZ
from engine.events import Caption, LoadShed
from engine.options import CaptionOptions, TranslationOptions, VoiceOptions
from engine.process.messages import Finish, Load, Progress, Start, TranslateAlso, TranslationChoice
from tests.app.made_captions import better, caption, split, translation
from tests.app.silent_client import SilentClient

GERMAN = TranslationChoice(TranslationOptions("de"), "l")
START_SECONDS = 100.0


class Scene:
    """A link whose engine is a script, with a recording that has begun.

    Attributes:
        shown: the newest revision of every caption, by its id; those that are gone have no words.
        states, failures, refusals: what was told.
    """

    def __init__(self, *speakers: str) -> None:
        self.owner = QObject()
        self.client = SilentClient()
        self.link = UnbrokenCaptions(self.client, Hearing("m", CaptionOptions()), GERMAN, self.owner)
        self.shown: dict[int, Caption] = {}
        self.states: list[Link] = []
        self.failures: list[str] = []
        self.refusals: list[str] = []
        self.link.caption_changed.connect(lambda each: self.shown.update({each.id: each}))
        self.link.state_changed.connect(self.states.append)
        self.link.failed.connect(self.failures.append)
        self.link.change_refused.connect(self.refusals.append)
        speakers = speakers or ("",)
        self.audio = UncoveredAudio(len(speakers), self.client.send_audio, START_SECONDS)
        self.link.start(self.audio, speakers, 5, live=True)

    def say(self, number: int, committed: str, pending: str = "", **how: object) -> None:
        """Emit a caption of the engine that begins a second into the recording."""
        made = caption(number, committed, pending=pending, start=START_SECONDS + 1.0, **how)  # type: ignore[arg-type]
        self.client.caption_changed.emit(made)

    def record(self, seconds: int, side: int = 0) -> None:
        for _ in range(seconds):
            self.audio.add(np.zeros(SAMPLE_RATE_HZ, np.float32), side)

    def started(self) -> Start:
        """Return the newest command to start a session."""
        return [each for each in self.client.take() if isinstance(each, Start)][-1]


@pytest.fixture
def scene(qapp: QApplication) -> Iterator[Scene]:
    yield Scene()


def test_a_recording_begins_where_the_transcript_ends(scene: Scene) -> None:
    start = scene.started()
    assert (start.model, start.first_id, start.live, start.translation) == ("m", 5, True, GERMAN)
    (side,) = start.sides
    assert (side.start_seconds, side.known, side.begun) == (START_SECONDS, (), None)
    assert scene.link.state is Link.LOADING
    scene.client.session_started.emit()
    assert scene.states == [Link.LOADING, Link.HEARS]


def test_after_a_crash_pending_words_go_and_the_open_caption_is_gone_on_with(scene: Scene) -> None:
    scene.say(5, "Done.", final=True)
    scene.say(6, "This is", "new", revision=3)
    scene.say(7, "", "How")
    scene.client.crashed.emit()
    assert [(each.text, each.pending_text, each.final) for each in scene.shown.values()] == [
        ("Done.", "", True),
        ("This is", "", False),
        ("", "", False),
    ]
    start = scene.started()
    (side,) = start.sides
    assert side.begun == scene.shown[6]
    assert side.begun is not None and side.begun.revision == 4
    assert "".join(word.text for word in side.known) == " Done. This is"
    assert start.first_id == 8, "no number comes twice, not even that of a caption that is gone"
    assert scene.link.state is Link.RESTARTING


def test_words_that_moved_to_the_line_of_another_voice_are_known_once(scene: Scene) -> None:
    whole = caption(5, "One two three", start=START_SECONDS + 1.0)
    first, rest = (replace(each, first_text="") for each in split(whole, 2, 6))
    for each in (whole, replace(first, final=True), rest):
        scene.client.caption_changed.emit(each)
    scene.client.crashed.emit()
    (side,) = scene.started().sides
    assert "".join(word.text for word in side.known) == " One two three"
    assert side.begun is not None and (side.begun.id, side.begun.text) == (6, "three")


def test_a_caption_with_too_many_words_to_be_gone_on_with_is_ended(scene: Scene) -> None:
    scene.say(5, " ".join(["word"] * (KEPT_WORDS + 1)))
    scene.client.crashed.emit()
    assert scene.shown[5].final
    (side,) = scene.started().sides
    assert side.begun is None
    assert len(side.known) == KEPT_WORDS


def test_words_are_told_once_however_often_their_caption_was_shown(scene: Scene) -> None:
    for revision, said in enumerate(("One", "One two", "One two three")):
        scene.say(5, said, revision=revision)
    scene.client.crashed.emit()
    scene.say(5, "One two three four", revision=7)
    scene.client.crashed.emit()
    (side,) = scene.started().sides
    assert "".join(word.text for word in side.known) == " One two three four"


def test_each_side_goes_on_with_its_own_words_from_its_own_second(qapp: QApplication) -> None:
    scene = Scene("You", "Call")
    for _ in range(20):
        scene.record(1, side=0)
        scene.record(1, side=1)
    yours = caption(5, "One two", start=START_SECONDS + 1.0)
    theirs = caption(6, "Three", start=START_SECONDS + 15.6)
    for made, speaker in ((yours, "You"), (theirs, "Call")):
        scene.client.caption_changed.emit(replace(made, speaker=speaker))
    scene.client.crashed.emit()
    you, call = scene.started().sides
    assert ([word.text for word in you.known], you.begun) == ([" One", " two"], scene.shown[5])
    assert ([word.text for word in call.known], call.begun) == ([" Three"], scene.shown[6])
    assert you.start_seconds == START_SECONDS
    assert call.start_seconds == pytest.approx(START_SECONDS + 16.0 - RECALLED_SECONDS)


def test_a_session_that_is_replaced_quietly_seems_to_have_heard_as_much(scene: Scene) -> None:
    scene.record(10)
    scene.client.session_started.emit()
    scene.client.progressed.emit(Progress(START_SECONDS + 9.0, True, shed=LoadShed.CONTEXT))
    assert (scene.link.behind_seconds, scene.link.is_speaking, scene.link.shed) == (1.0, True, LoadShed.CONTEXT)
    assert scene.link.change(Hearing("m", CaptionOptions(step_seconds=0.5)), at_once=True)
    assert (scene.link.behind_seconds, scene.link.is_speaking, scene.link.shed) == (1.0, True, LoadShed.NOTHING)
    assert scene.link.state is Link.HEARS
    assert scene.link.change(Hearing("other", CaptionOptions()), at_once=True)
    assert (scene.link.behind_seconds, scene.link.is_speaking) == (10.0, False)
    assert scene.link.state is Link.LOADING


def test_a_change_that_fails_before_it_has_heard_falls_back_to_what_heard_before(scene: Scene) -> None:
    before = scene.link.hearing
    scene.client.session_started.emit()
    scene.link.change(Hearing("m", CaptionOptions(step_seconds=0.5)), at_once=True)
    scene.link.change(Hearing("missing", CaptionOptions()), at_once=True)
    scene.client.failed.emit("There is no such model.")
    assert scene.link.hearing == before, "the first of two changes has not shown to work either"
    assert scene.started().model == "m"
    assert (scene.refusals, scene.failures) == (["There is no such model. Captions go on as before."], [])
    scene.client.failed.emit("It is broken.")
    assert scene.failures == ["It is broken."]
    scene.client.take()
    scene.client.crashed.emit()
    assert [type(each) for each in scene.client.take()] == [Load], "the recording is over"


def test_quick_changes_wait_for_what_is_heard_again_and_are_made_together(scene: Scene) -> None:
    def change(seconds: float) -> None:
        scene.link.change(Hearing("m", CaptionOptions(step_seconds=seconds)), at_once=True)

    scene.client.session_started.emit()
    change(0.5)
    assert scene.started().options.step_seconds == 0.5
    change(0.6)
    change(0.7)
    assert scene.client.take() == [], "captions come of the first change, before all is heard once more"
    scene.client.progressed.emit(Progress(START_SECONDS + 1.0, True))
    assert scene.started().options.step_seconds == 0.7
    scene.client.progressed.emit(Progress(START_SECONDS + 1.0, True))
    assert scene.client.take() == []
    change(0.8)
    assert scene.started().options.step_seconds == 0.8


def test_a_change_that_has_heard_is_not_taken_back(scene: Scene) -> None:
    scene.link.change(Hearing("other", CaptionOptions()), at_once=True)
    scene.client.session_started.emit()
    scene.client.failed.emit("It is broken.")
    assert scene.link.hearing.model == "other"
    assert scene.failures == ["It is broken."]


def test_an_engine_that_gets_somewhere_between_crashes_is_started_again(scene: Scene) -> None:
    scene.record(60)
    heard = START_SECONDS
    for _ in range(2):
        scene.client.crashed.emit()
        scene.client.session_started.emit()
        heard += ACHIEVED_SECONDS + 1.0
        scene.client.progressed.emit(Progress(heard, False))
    assert scene.link._crashes.in_vain == 0
    scene.client.crashed.emit()
    scene.client.progressed.emit(Progress(heard + ACHIEVED_SECONDS - 1.0, False))
    assert scene.link._crashes.in_vain == 1, "it has to come further than the last one"


def test_an_engine_that_has_stopped_is_asked_to_finish_when_it_is_back(scene: Scene) -> None:
    for _ in range(3):
        scene.client.crashed.emit()
    assert scene.link.state is Link.STOPPED
    scene.client.take()
    scene.link.finish()
    assert scene.client.take() == []
    scene.link.restart()
    assert [type(each) for each in scene.client.take()] == [Start, Finish]


def test_captions_that_wait_for_their_translation_are_sent_again_until_they_have_it(scene: Scene) -> None:
    scene.say(5, "One.", final=True)
    scene.say(6, "Two.", final=True)
    scene.client.translation_changed.emit(translation(5, "Eins.", final=True))
    scene.client.translation_changed.emit(translation(6, "Zwei"))
    scene.client.crashed.emit()
    (also,) = [each for each in scene.client.take() if isinstance(each, TranslateAlso)]
    assert [each.id for each in also.captions] == [6]
    scene.client.translation_changed.emit(translation(6, "Zwei.", final=True))
    assert not scene.link.stop()


def test_ended_at_once_it_settles_what_is_open_and_says_what_has_no_translation(scene: Scene) -> None:
    scene.say(5, "One", "two")
    scene.say(6, "", "three")
    assert scene.link.stop()
    assert [(each.text, each.pending, each.final) for each in scene.shown.values()] == [
        ("One", (), True),
        ("", (), False),
    ]
    scene.record(1)
    scene.say(7, "Late.", final=True)
    assert 7 not in scene.shown


def test_better_words_are_not_what_another_session_is_told(scene: Scene) -> None:
    """It hears the same audio live: words that it does not find again would be shown twice."""
    scene.record(10)
    scene.say(5, "The king is flooded away.", final=True)
    heard = scene.shown[5]
    kept = scene.audio.starts
    scene.client.caption_changed.emit(replace(better(heard, "The king has fled."), end=heard.end - 1.0))
    assert scene.shown[5].first_text == "The king is flooded away."
    scene.client.crashed.emit()
    (side,) = scene.started().sides
    assert [word.text.strip() for word in side.known] == ["The", "king", "is", "flooded", "away."]
    assert scene.audio.starts == kept


def test_better_words_wait_for_a_translation_of_their_own(scene: Scene) -> None:
    scene.record(10)
    scene.say(5, "The king is flooded.", final=True)
    scene.client.caption_changed.emit(better(scene.shown[5], "The king has fled."))
    scene.client.translation_changed.emit(translation(5, "überflutet", final=True))
    assert scene.link.stop()


@pytest.mark.parametrize("options", [{"voice": VoiceOptions()}, {"options": TranslationOptions("de", stable=True)}])
def test_better_words_get_no_other_translation_where_it_is_spoken_or_may_not_change(
    scene: Scene, options: dict[str, Any]
) -> None:
    scene.link.translate(replace(GERMAN, **options))
    scene.say(5, "The king is flooded.", final=True)
    scene.client.caption_changed.emit(better(scene.shown[5], "The king has fled."))
    scene.client.translation_changed.emit(translation(5, "überflutet", final=True))
    assert not scene.link.stop()
