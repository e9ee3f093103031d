"""Playback of speech at another speed, in its own pitch. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.audio import SAMPLE_RATE_HZ, Samples

LEAST_SPEED, MOST_SPEED = 0.5, 2.0


def at_speed(chunks: Iterable[Samples], speed: float) -> Iterator[Samples]:
    """Yield chunks (n,) of 16 kHz samples at a multiple of their speed, by FFmpeg's filter `atempo`."""
    if speed == 1.0:
        yield from chunks
        return
    import av
    import numpy as np

    graph = av.filter.Graph()
    kind = f"sample_rate={SAMPLE_RATE_HZ}:sample_fmt=flt:channel_layout=mono:time_base=1/{SAMPLE_RATE_HZ}"
    source, tempo, sink = graph.add("abuffer", kind), graph.add("atempo", str(speed)), graph.add("abuffersink")
    source.link_to(tempo)
    tempo.link_to(sink)
    graph.configure()
    at = 0
    for chunk in chunks:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(chunk[None], np.float32), format="flt", layout="mono")
        frame.sample_rate, frame.pts = SAMPLE_RATE_HZ, at
        at += len(chunk)
        graph.push(frame)
        yield from _ready(graph)
    graph.push(None)
    yield from _ready(graph)


def _ready(graph: object) -> Iterator[Samples]:
    """Yield what the filter has made so far."""
    import av

    while True:
        try:
            yield graph.pull().to_ndarray()[0]  # type: ignore[attr-defined]
        except (av.BlockingIOError, av.EOFError):
            return
