"""Texts as hearing gives them: spoken by a synthetic voice, captioned live, with every revision of every caption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from engine.audio import Samples
from engine.audio.source import chunks_of
from engine.bench.translation.texts import GrowingText, Text
from engine.captions import CaptionSession, SimulatedClock, caption_stream
from engine.events import Caption, text_of
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions
from engine.recipes.speech.espeak import Voice, espeak

VOICE = Voice()


def heard(texts: Iterable[Text], recognizer: Recognizer, options: CaptionOptions) -> Iterator[GrowingText]:
    """Speak each text and caption it live; texts of which nothing was heard are left out.

    Hearing takes no time on the session's clock, so that the same text gives the same revisions on every machine.
    """
    for number, text in enumerate(texts, 1):
        segments = tuple(revisions(recognizer, espeak().speak(text.source, VOICE).samples, options))
        if segments:
            yield GrowingText(f"text {number}", segments, text.references)


def revisions(recognizer: Recognizer, samples: Samples, options: CaptionOptions) -> list[tuple[str, ...]]:
    """What each caption of a recording said from revision to revision, pending words and all, without repetitions.

    The last one is what it said when it was final.
    """
    found: dict[int, list[str]] = {}
    for caption in captions(recognizer, samples, options):
        _take(found.setdefault(caption.id, []), caption)
    return [tuple(said) for said in found.values() if said and said[-1]]


def captions(recognizer: Recognizer, samples: Samples, options: CaptionOptions) -> Iterator[Caption]:
    """Caption a recording live, with every revision; hearing takes no time on the session's clock."""
    session = CaptionSession(recognizer, options, SimulatedClock(timer=lambda: 0.0))
    with closing(session):
        for event in caption_stream(chunks_of(samples), session, pace="fast"):
            if isinstance(event, Caption):
                yield event


def _take(said: list[str], caption: Caption) -> None:
    text = text_of(caption.committed if caption.final else (*caption.committed, *caption.pending))
    if text and (not said or said[-1] != text):
        said.append(text)
