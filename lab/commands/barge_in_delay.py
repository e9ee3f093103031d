"""Time until the assistant falls silent: when it is told to, and when somebody speaks over it.

The loudspeaker and the listening of a real conversation are used. Their sound is recorded where a sound server passes
it on, and sets the pace at which the microphone delivers the user's voice; there is no echo in it, as with headphones.
Without such a server, what the usual loudspeaker receives is counted, and the delay that it reports added.

What a voice is to the detector is told by `simulate`, on any machine alike: the same interruptions, sample by sample.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np

from app.sound.loudspeaker import Loudspeaker
from app.sound.playback import Player
from app.terminal.live_conversation import MicrophoneListener
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import BargeIn
from engine.audio.resample import Resampler
from engine.speak.voice import Voice
from engine.turns import Speech
from lab.bench.captions.clips import VOICES
from lab.commands.listened_speakers import BLOCK_SAMPLES, Monitor, listened_speakers
from lab.commands.private_sound_server import can_be_listened_to
from lab.recipes.speech.espeak import Speech as Said
from lab.recipes.speech.espeak import espeak

QUICK_STOPS, WHOLE_STOPS = 20, 50
QUICK_INTERRUPTIONS, WHOLE_INTERRUPTIONS = 6, 24

TONE_RATE_HZ, TONE_LEVEL = 22_050, 0.5
REPLY = (
    "The water comes from the hills. It goes through the town and under the old bridge, and from there down to the "
    "sea. On its way it drives two mills, and in spring it floods the meadows on both its sides."
)
OBJECTIONS = (
    "Wait a moment, that is not what I wanted to know.",
    "Stop, please, I have heard enough of it.",
    "No, tell me about the weather instead.",
    "Hold on, what was the name of the river?",
)
NOISE = 3e-4
USER_LEVEL = 0.1
QUIET_SECONDS = 0.2
"""Silence after which nothing more will come, in seconds."""

CHUNK_BLOCKS = 10
"""50 ms: what a microphone delivers at once."""

ECHO_SECONDS = 0.1
"""Delay of a simulated echo: two devices' buffers, and the way through the air."""

LOOK_SECONDS = 0.02
BEFORE_SECONDS = 1.0
PATIENCE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Interruption:
    """The assistant was spoken over.

    Attributes:
        detect_seconds: from the beginning of the user's first word until the loudspeaker was told to stop.
        silence_seconds: from the same moment to the last sound that could be heard; None where nothing was played.
    """

    detect_seconds: float
    silence_seconds: float | None


@dataclass(frozen=True, slots=True)
class BargeInDelays:
    """All that was measured.

    Attributes:
        heard_at: "monitor": what came out was recorded; "player": the player's own clock; "simulated": nothing was
            played.
        stops: seconds from the word to stop until nothing could be heard, of each attempt.
        interruptions: those that were noticed.
        missed: how often speech over the reply was not noticed.
        false_alarms: how often the reply fell silent before anybody spoke.
    """

    heard_at: str
    stops: tuple[float, ...]
    interruptions: tuple[Interruption, ...] = ()
    missed: int = 0
    false_alarms: int = 0


def measure(voice: Voice, *, quick: bool) -> BargeInDelays:
    """Measure, with the assistant speaking in a voice. Raises AudioError where there is nothing to play on."""
    stops = QUICK_STOPS if quick else WHOLE_STOPS
    with closing(_TimedLoudspeaker(Player())) as loudspeaker:
        if not can_be_listened_to():
            return BargeInDelays("player", tuple(_stopped_by_its_clock(loudspeaker) for _ in range(stops)))
        with listened_speakers() as monitor:
            found = tuple(_stopped(loudspeaker, monitor) for _ in range(stops))
            over = _Interruptions(loudspeaker, monitor, said_by(voice))
            over.hold(QUICK_INTERRUPTIONS if quick else WHOLE_INTERRUPTIONS)
            loudspeaker.close()  # before the server goes
        return BargeInDelays("monitor", found, tuple(over.found), over.missed, over.false_alarms)


def simulate(voice: Voice, *, quick: bool, echo_db: float | None = None) -> BargeInDelays:
    """Pass interruptions to the detector as they would be recorded, without a clock or a device.

    `echo_db` is how loud the reply comes back into the microphone, ECHO_SECONDS late, in decibels of itself. None is
    not at all, as with headphones.
    """
    reply, rate_hz = np.frombuffer((said := said_by(voice)).samples, np.float32), said.rate_hz
    resampler = Resampler(rate_hz)
    reply = np.concatenate([resampler.add(reply), resampler.finish()])
    detector, objections, draw = BargeIn(), list(_objections()), np.random.default_rng(0)
    found: list[Interruption] = []
    missed = false_alarms = 0
    for number in range(QUICK_INTERRUPTIONS if quick else WHOLE_INTERRUPTIONS):
        objection = objections[number % len(objections)]
        begin = round((BEFORE_SECONDS + draw.uniform(0, 0.5)) * SAMPLE_RATE_HZ)
        onset = begin + round(objection.words[0][0] * SAMPLE_RATE_HZ)
        played = reply[: begin + round(PATIENCE_SECONDS * SAMPLE_RATE_HZ)]
        heard = draw.normal(0, NOISE, len(played)).astype(np.float32)
        if echo_db is not None:
            late = round(ECHO_SECONDS * SAMPLE_RATE_HZ)
            heard[late:] += played[:-late] * np.float32(10 ** (echo_db / 20))
        over = objection.samples[: len(played) - begin]
        heard[begin : begin + len(over)] += over
        noticed = _noticed_at(detector, heard, played)
        if noticed is None:
            missed += 1
        elif noticed <= onset:
            false_alarms += 1
        else:
            found.append(Interruption((noticed - onset) / SAMPLE_RATE_HZ, None))
        pause = np.zeros(round(2 * QUIET_SECONDS * SAMPLE_RATE_HZ), np.float32)
        detector.add(pause, pause)
    return BargeInDelays("simulated", (), tuple(found), missed, false_alarms)


def _noticed_at(detector: BargeIn, heard: Samples, played: Samples) -> int | None:
    """Return how many samples had come when speech over the reply was noticed."""
    detector.restart()
    size = CHUNK_BLOCKS * BLOCK_SAMPLES
    for begin in range(0, len(heard), size):
        if detector.add(heard[begin : begin + size], played[begin : begin + size]) is not None:
            return begin + size
    return None


class _TimedLoudspeaker(Loudspeaker):
    """Knows when it was told to stop."""

    hushed_at = 0.0

    def hush(self) -> float:
        self.hushed_at = time.monotonic()
        return super().hush()


def _stopped(loudspeaker: Loudspeaker, monitor: Monitor) -> float:
    """Stop a tone somewhere in its middle; return how long it was heard after that."""
    monitor.catch_up()
    loudspeaker.begin()
    loudspeaker.add(_tone(), 0.0)
    begun = monitor.audible_until
    least = round(random.uniform(0.2, 0.3) * SAMPLE_RATE_HZ)
    while monitor.audible_until < begun + least or monitor.audible_until < monitor.position - SAMPLE_RATE_HZ // 10:
        monitor.read()
    stopped_at = time.monotonic()
    loudspeaker.hush()
    while monitor.position < monitor.audible_until + QUIET_SECONDS * SAMPLE_RATE_HZ:
        monitor.read()
    loudspeaker.resume()
    return monitor.moment(monitor.audible_until) - stopped_at


def _stopped_by_its_clock(loudspeaker: Loudspeaker) -> float:
    """Measure the same by what the device takes after the order to stop, and by how late it plays that."""
    loudspeaker.begin()
    loudspeaker.add(_tone(), 0.0)
    nothing = threading.Event()
    while loudspeaker.sent_seconds < 0.3:
        nothing.wait(0.01)
    before = loudspeaker.sent_seconds
    loudspeaker.hush()
    while loudspeaker.playing:
        nothing.wait(0.01)
    loudspeaker.resume()
    return loudspeaker.sent_seconds - before + loudspeaker.latency_seconds


def _tone() -> Speech:
    times = np.arange(3 * TONE_RATE_HZ) / TONE_RATE_HZ
    samples = (TONE_LEVEL * np.sin(2 * np.pi * 440 * times)).astype(np.float32)
    return Speech(1, 0, 0, samples.tobytes(), TONE_RATE_HZ)


@dataclass(slots=True)
class _Interruptions:
    """A reply after the other that somebody speaks over."""

    loudspeaker: _TimedLoudspeaker
    monitor: Monitor
    reply: Speech
    objections: list[Said] = field(default_factory=lambda: list(_objections()))
    found: list[Interruption] = field(default_factory=list)
    missed: int = 0
    false_alarms: int = 0
    _waiting: Samples = field(default_factory=lambda: np.zeros(0, np.float32))
    _over: bool = False

    def hold(self, count: int) -> None:
        listening = MicrophoneListener(self._microphone(), self.loudspeaker, BargeIn())
        listening.start()
        try:
            for number in range(count):
                self._hold_one(listening, number)
        finally:
            self._over = True
            listening.join()

    def _hold_one(self, listening: MicrophoneListener, number: int) -> None:
        objection = self.objections[number % len(self.objections)]
        self.loudspeaker.begin()
        self.loudspeaker.add(replace(self.reply, turn=number), 0.0)
        if self._wait(listening, BEFORE_SECONDS + random.uniform(0, 0.5)):
            self.false_alarms += 1
        else:
            onset = self.monitor.position + round(objection.words[0][0] * SAMPLE_RATE_HZ)
            self._waiting = objection.samples
            if self._wait(listening, PATIENCE_SECONDS):
                self._wait(listening, QUIET_SECONDS, whole=True)
                self.found.append(self._interruption(onset))
            else:
                self.missed += 1
        self.loudspeaker.hush()
        self._waiting = self._waiting[:0]
        self._wait(listening, 2 * QUIET_SECONDS, whole=True)
        self.loudspeaker.resume()

    def _interruption(self, onset: int) -> Interruption:
        began, hushed = self.monitor.moment(onset), self.loudspeaker.hushed_at
        silent = max(self.monitor.moment(self.monitor.audible_until), hushed)
        return Interruption(hushed - began, silent - began)

    def _wait(self, listening: MicrophoneListener, seconds: float, *, whole: bool = False) -> bool:
        """Let this much sound pass, all of it if `whole`, else until the assistant is silent; return whether it is."""
        end = self.monitor.position + seconds * SAMPLE_RATE_HZ
        nothing = threading.Event()
        while self.monitor.position < end and not listening.ended:
            if self.loudspeaker.hushed and not whole:
                return True
            nothing.wait(LOOK_SECONDS)
        for _ in listening.read():
            pass
        return self.loudspeaker.hushed

    def _microphone(self) -> Iterator[Samples]:
        """Play the user in a quiet room, at the pace at which the loudspeaker plays."""
        noise = np.random.default_rng(0)
        self.monitor.catch_up()
        while not self._over:
            count = sum(len(self.monitor.read()) for _ in range(CHUNK_BLOCKS))
            heard = noise.normal(0, NOISE, count).astype(np.float32)
            said, self._waiting = self._waiting[:count], self._waiting[count:]
            heard[: len(said)] += said
            yield heard


def _objections() -> Iterator[Said]:
    """Interrupt with all voices but the assistant's own."""
    for number, voice in enumerate(VOICES[1:]):
        said = espeak().speak(OBJECTIONS[number % len(OBJECTIONS)], voice)
        yield replace(said, samples=levelled(said.samples))


def said_by(voice: Voice) -> Speech:
    """Return the reply, spoken by the assistant's voice."""
    return Speech(0, 0, 0, levelled(np.concatenate(list(voice.speak(REPLY)))).tobytes(), voice.rate_hz)


def levelled(samples: Samples) -> Samples:
    """Return speech as loud as somebody at a desk."""
    voiced = samples[np.abs(samples) > 0.003]
    level = USER_LEVEL / max(float(np.sqrt(np.mean(np.square(voiced)))), 1e-6)
    return (samples * np.float32(level)).astype(np.float32)


def figures(measured: BargeInDelays) -> dict[str, float | int | str | None]:
    """Return the headline numbers by name; None where nothing was measured."""
    series = {
        "stop": measured.stops,
        "detect": [each.detect_seconds for each in measured.interruptions],
        "silence": [s for each in measured.interruptions if (s := each.silence_seconds) is not None],
    }
    found: dict[str, float | int | str | None] = {"barge_in_heard_at": measured.heard_at}
    for name, seconds in series.items():
        found |= {f"barge_in_{name}_seconds_{part}": value for part, value in _parts(seconds).items()}
        found[f"barge_in_{name}s"] = len(seconds)
    return found | {"barge_in_missed": measured.missed, "barge_in_false_alarms": measured.false_alarms}


def _parts(seconds: Iterable[float]) -> dict[str, float | None]:
    values = np.fromiter(seconds, np.float64)
    if not len(values):
        return {"p50": None, "p95": None, "max": None}
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 4), "p95": round(float(p95), 4), "max": round(float(values.max()), 4)}
