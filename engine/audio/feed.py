"""A session is given its audio: at the pace at which it is spoken, or as fast as it is taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, TypeVar

from engine.audio import SAMPLE_RATE_HZ, Samples

Pace = Literal["realtime", "fast"]
Told = TypeVar("Told")
Tells = TypeVar("Tells", covariant=True)


class Session(Protocol[Tells]):
    """A session of captions or of the assistant, by what feeding it takes."""

    @property
    def audio_seconds(self) -> float: ...
    def add_audio(self, chunk: Samples) -> None: ...
    def update(self) -> Iterator[Tells]: ...
    def wait_until(self, seconds: float) -> Iterator[Tells]: ...
    def work_until(self, seconds: float) -> Iterator[Tells]: ...
    def finish(self) -> Iterator[Tells]: ...


def feed(chunks: Iterable[Samples], session: Session[Told], *, pace: Pace) -> Iterator[Told]:
    """Feed chunks to a session and yield its events to the end.

    "realtime" hands each chunk over when it would have been spoken (chunks from a microphone come no earlier and
    never wait); "fast" hands them over at once, which asks for a session with a SimulatedClock.
    """
    for chunk in chunks:
        seconds = len(chunk) / SAMPLE_RATE_HZ
        if pace == "realtime":
            yield from session.wait_until(session.audio_seconds + seconds)
        session.add_audio(chunk)
        yield from session.update()
        if pace == "realtime":  # a microphone has its next chunk ready by then, and is not asked for it before
            yield from session.work_until(session.audio_seconds + seconds)
    yield from session.finish()
