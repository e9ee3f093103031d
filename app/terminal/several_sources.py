"""Several sources read side by side on the command line, as one stream of chunks."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from app.sound.alignment import aligned
from app.terminal.open_source import OpenSource
from engine.audio import Samples
from engine.errors import AudioError


def chunks_of(sources: Sequence[OpenSource]) -> Iterator[tuple[int, Samples]]:
    """Yield the chunks of all sources with their numbers, in order of arrival; of files in turn.

    Raises:
        AudioError: see AudioSource.
    """
    if any(each.source.passes_by for each in sources) and len(sources) > 1:
        return _as_they_come(sources)
    return _in_turn([each.chunks() for each in sources])


def _in_turn(sides: Sequence[Iterator[Samples]]) -> Iterator[tuple[int, Samples]]:
    for row in zip_longest(*sides):
        for side, chunk in enumerate(row):
            if chunk is not None:
                yield side, chunk


def _as_they_come(sources: Sequence[OpenSource]) -> Iterator[tuple[int, Samples]]:
    """Read each source on a thread of its own; when the caller stops, or one source fails, all are stopped."""
    come: queue.SimpleQueue[tuple[int, Samples | AudioError | None]] = queue.SimpleQueue()

    def read(side: int) -> None:
        try:
            for chunk in sources[side].chunks():
                deliver[side](chunk)
        except AudioError as error:
            come.put((side, error))
        else:
            come.put((side, None))

    def put(side: int, samples: Samples) -> None:
        come.put((side, samples))

    deliver = aligned([partial(put, side) for side in range(len(sources))])
    for side in range(len(sources)):
        threading.Thread(target=read, args=(side,), name=f"source {side}", daemon=True).start()
    left, failure = len(sources), None
    try:
        while left:
            side, item = come.get()
            if item is None or isinstance(item, AudioError):
                left -= 1
                failure = failure or item
                if item is not None:
                    _stop(sources)
            else:
                yield side, item
    finally:
        _stop(sources)
    if failure is not None:
        raise failure


def _stop(sources: Sequence[OpenSource]) -> None:
    for source in sources:
        if source.stop is not None:
            source.stop.set()
