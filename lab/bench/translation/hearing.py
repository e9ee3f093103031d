"""Texts as they are heard: said by a synthetic voice, captioned live, with every revision of every caption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from engine.audio import Samples
from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock
from engine.events import Caption
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.translation.texts import GrowingText, Text, revisions_of
from lab.recipes.speech.espeak import SyntheticVoice, espeak

VOICE = SyntheticVoice()


def heard(texts: Iterable[Text], recognizer: Recognizer, options: CaptionOptions) -> Iterator[GrowingText]:
    """Speak each text and caption it live; texts of which nothing was heard are left out.

    Hearing takes no time on the session's clock, so that the same text has the same revisions on every machine.
    """
    for number, text in enumerate(texts, 1):
        samples = espeak().speak(text.source, VOICE).samples
        revisions = revisions_of(captions(recognizer, samples, options))
        if any(revision.source for revision in revisions):
            yield GrowingText(f"text {number}", revisions, text.references)


def people_heard(clips: Iterable[Clip], recognizer: Recognizer, options: CaptionOptions) -> Iterator[GrowingText]:
    """Caption recordings of people live; nobody has translated what they say. See `heard` for the rest."""
    for clip in clips:
        revisions = revisions_of(captions(recognizer, clip.listen(), options))
        if any(revision.source for revision in revisions):
            yield GrowingText(clip.name, revisions, ())


def captions(recognizer: Recognizer, samples: Samples, options: CaptionOptions) -> Iterator[Caption]:
    """Caption a recording live, with every revision; hearing takes no time on the session's clock."""
    session = CaptionSession(recognizer, options, SimulatedClock(timer=lambda: 0.0))
    with closing(session):
        for event in feed(chunks_of(samples), session, pace="fast"):
            if isinstance(event, Caption):
                yield event
