"""An estimate of which recognition models keep up on this machine, before any is downloaded.

Two things are measured: the speed of matrix products, and the time the starter needs for a short clip. The part of that
time beyond its products is waiting (a GPU's launches, a processor's exponentials), which grows with the size of a model
in another way than its products do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.machine.pace import MachinePace, Verdict, is_busy, store_pace, verdict_of
from engine.machine.thread_profile import ProfileUnwritable

if TYPE_CHECKING:
    from engine.hear.whisper.model import ModelDimensions

FRAMES_PER_SECOND = 50
HEARD_SECONDS = 6.0  # audio of a round, in the middle of a conversation
READ_TOKENS, WRITTEN_TOKENS = 20, 4  # of the last round, verified in one forward; and new ones, one by one
STARTER_SHAPE = "tiny.en"


@dataclass(frozen=True, slots=True)
class Outlook:
    """The expected speed of one model.

    Attributes:
        round_seconds: time of one recognition round during speech.
        verdict: whether captions keep up with speech, lag behind, or are too slow; or whether memory is too small.
    """

    name: str
    round_seconds: float
    memory_megabytes: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Machine:
    """Measurements of this machine.

    Attributes:
        gflops: speed of matrix products in the type that models compute in.
        starter_seconds: time for recognizing `starter_audio_seconds` with `starter_tokens` new tokens.
        is_gpu: whether waiting grows only with the number of layers; on a processor it also grows with their width.
        busy: other programs were computing meanwhile.
    """

    gflops: float
    starter_seconds: float
    starter_audio_seconds: int
    starter_tokens: int
    is_gpu: bool
    busy: bool = False

    def seconds(self, dims: ModelDimensions, audio_seconds: float, read: int, written: int) -> float:
        """Estimate one round, with `read` tokens verified at once and `written` ones decoded one by one."""
        return self._multiplying(dims, audio_seconds, read, written) + self._waiting(dims)

    def _multiplying(self, dims: ModelDimensions, audio_seconds: float, read: int, written: int) -> float:
        from engine.hear.whisper.arithmetic import decoder_macs, encoder_macs

        frames = round(audio_seconds * FRAMES_PER_SECOND)
        macs = encoder_macs(dims, frames) + decoder_macs(dims, frames, read + written)
        return 2 * macs / (self.gflops * 1e9)

    def _waiting(self, dims: ModelDimensions) -> float:
        from engine.hear.whisper.files.published import PUBLISHED

        starter = PUBLISHED[STARTER_SHAPE].dims
        own = self._multiplying(starter, self.starter_audio_seconds, 0, self.starter_tokens)
        return max(0.0, self.starter_seconds - own) * self._size(dims) / self._size(starter)

    def _size(self, dims: ModelDimensions) -> int:
        layers = dims.n_audio_layer + dims.n_text_layer
        return layers if self.is_gpu else layers * dims.n_audio_state


def outlooks(machine: Machine) -> Iterator[Outlook]:
    """Yield the expected speed of each published Whisper, the smallest first."""
    from engine.hear.whisper.files.published import PUBLISHED
    from engine.loading.library import fit, library_model, memory_megabytes
    from engine.models.catalogue import catalogue

    for name, published in PUBLISHED.items():
        if name not in catalogue():
            continue
        seconds = machine.seconds(published.dims, HEARD_SECONDS, READ_TOKENS, WRITTEN_TOKENS)
        model = library_model(name)
        fits = fit(model, memory_megabytes()) != "not"
        yield Outlook(name, seconds, model.memory_megabytes, verdict_of(seconds) if fits else "too large")


def find_pace() -> MachinePace:
    """Measure this machine and store the estimate, if possible."""
    machine = measured()
    return keep(machine, outlooks(machine))


def keep(machine: Machine, expected: Iterable[Outlook]) -> MachinePace:
    """Store this machine's estimate for the lists of models, if possible."""
    rounds = {each.name: each.round_seconds for each in expected}
    pace = MachinePace(machine.gflops, machine.is_gpu, rounds, machine.busy)
    with suppress(ProfileUnwritable):
        store_pace(pace)
    return pace


def measured() -> Machine:
    """Measure this machine with the starter: the best of several times, since other programs only slow it down."""
    from app.terminal.doctor import CLIP_SECONDS, measure_gflops, time_hearing
    from engine.machine.backend import prepare

    is_gpu, busy = prepare().device == "gpu", is_busy()
    seconds, heard = time_hearing()
    return Machine(measure_gflops(), seconds, CLIP_SECONDS, heard.tokens, is_gpu, busy)
