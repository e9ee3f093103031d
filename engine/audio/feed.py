"""Feed audio to a session: at the pace at which it is spoken, or as fast as it is heard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, TypeVar

from engine.audio import SAMPLE_RATE_HZ, Samples

Pace = Literal["realtime", "fast"]
SideChunk = tuple[int, Samples]
"""The number of a side, and its next samples (n,)."""

Chunk = TypeVar("Chunk", Samples, SideChunk)
Fed = TypeVar("Fed", contravariant=True)
Told = TypeVar("Told")
Tells = TypeVar("Tells", covariant=True)


class StreamSession(Protocol[Fed, Tells]):
    """A session of captions or of the assistant, as `feed` needs it."""

    def add_audio(self, chunk: Fed) -> None: ...
    def update(self) -> Iterator[Tells]: ...
    def wait_until(self, seconds: float) -> Iterator[Tells]: ...
    def work_until(self, seconds: float) -> Iterator[Tells]: ...
    def finish(self) -> Iterator[Tells]: ...


def feed(chunks: Iterable[Chunk], session: StreamSession[Chunk, Told], *, pace: Pace, sides: int = 1) -> Iterator[Told]:
    """Feed chunks to a session and yield its events to the end.

    Arguments:
        pace: "realtime" hands each chunk over when it would have been spoken (chunks from a microphone come no earlier
            and never wait); "fast" hands them over at once, which needs a session with a SimulatedClock.
        sides: how many streams of audio the chunks are of.
    """
    fed_seconds = [0.0] * sides
    for chunk in chunks:
        side, samples = chunk if isinstance(chunk, tuple) else (0, chunk)
        seconds = len(samples) / SAMPLE_RATE_HZ
        fed_seconds[side] += seconds
        if pace == "realtime":
            yield from session.wait_until(fed_seconds[side])
        session.add_audio(chunk)
        yield from session.update()
        if pace == "realtime":  # a microphone has its next chunk ready by then, and is not asked for it before
            yield from session.work_until(min(fed_seconds) + seconds)
    yield from session.finish()
