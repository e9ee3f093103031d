"""Feeding audio to a session: at the pace of speech, or as fast as the session processes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, TypeVar

from engine.audio import SAMPLE_RATE_HZ, Samples

Pace = Literal["realtime", "fast"]
Event = TypeVar("Event")
EventOut = TypeVar("EventOut", covariant=True)


class Session(Protocol[EventOut]):
    """The methods of a session of captions or of the assistant that `feed` needs."""

    @property
    def audio_seconds(self) -> float: ...

    def add_audio(self, chunk: Samples) -> None: ...

    def update(self) -> Iterator[EventOut]: ...

    def wait_until(self, seconds: float) -> Iterator[EventOut]: ...

    def work_until(self, seconds: float) -> Iterator[EventOut]: ...
    def finish(self) -> Iterator[EventOut]: ...


def feed(chunks: Iterable[Samples], session: Session[Event], *, pace: Pace) -> Iterator[Event]:
    """Feed chunks to a session and yield its events to the end.

    "realtime" adds each chunk when it would have been spoken (chunks from a microphone come no earlier and never wait).
    "fast" adds them at once, which needs a session with a SimulatedClock.
    """
    for chunk in chunks:
        seconds = len(chunk) / SAMPLE_RATE_HZ
        if pace == "realtime":
            yield from session.wait_until(session.audio_seconds + seconds)
        session.add_audio(chunk)
        yield from session.update()
        if pace == "realtime":  # a microphone has its next chunk ready by then, and is not read before
            yield from session.work_until(session.audio_seconds + seconds)
    yield from session.finish()
