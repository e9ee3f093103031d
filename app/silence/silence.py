"""Diagnosis of silence: checks the system, listens to every input for a moment, and names the cause. No Qt.

An input that is being recorded already is not opened again: the caller passes what is known of it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from app.macos.permission import Permission, microphone_permission
from app.sound import process_tap, sound_server
from app.sound.loudness import QUIETEST_DBFS, loudness_dbfs
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError

if TYPE_CHECKING:  # what listens is imported when it is to listen: the window is there long before
    from app.sound.audio_devices import InputDevice

LISTEN_SECONDS = 2.5
QUIET_DBFS = -55.0
"""Least level of speech at its loudest moments, even far from a microphone."""

MOST_AT_ONCE = 8
LEAST_VOLUME = 0.05
_CHUNK = SAMPLE_RATE_HZ // 20
_one_at_a_time = threading.Lock()  # PortAudio may hang if devices are opened while others are closed


class Cause(Enum):
    """A cause of silence.

    Attributes:
        DENIED, RESTRICTED: the user or the management has not permitted the app to record.
        NO_INPUT, NOT_CONNECTED, REFUSES: there is no input, the chosen one is missing, or it cannot be opened.
        MUTED, TURNED_DOWN, ZEROS: it delivers only zeros: muted, without volume, or for another reason.
        NOTHING_PLAYS: it records the computer's own sound, and there is none.
        QUIET: there is hardly any sound.
        ELSEWHERE: another input receives more sound.
        NO_SPEECH: there is sound, but the voice activity detection finds no speech.
        LOADING, STOPPED, BEHIND: the engine is not ready, has stopped, or is late.
        HEARD: there is speech; nothing is wrong with the input.
    """

    DENIED = auto()
    RESTRICTED = auto()
    NO_INPUT = auto()
    NOT_CONNECTED = auto()
    REFUSES = auto()
    MUTED = auto()
    TURNED_DOWN = auto()
    ZEROS = auto()
    NOTHING_PLAYS = auto()
    QUIET = auto()
    ELSEWHERE = auto()
    NO_SPEECH = auto()
    LOADING = auto()
    STOPPED = auto()
    BEHIND = auto()
    HEARD = auto()


_FORBIDDEN = {Permission.DENIED: Cause.DENIED, Permission.RESTRICTED: Cause.RESTRICTED}


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the diagnosis.

    Attributes:
        device: the input that it concerns.
        source: the sound server's name of it, an argument of `sound_server.unmute`.
        detail: the system's message.
        dbfs: the loudest level received.
        seconds: delay of the engine.
    """

    cause: Cause
    device: InputDevice | None = None
    source: str = ""
    detail: str = ""
    dbfs: float = QUIETEST_DBFS
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class InputSound:
    """Result of listening to an input for a moment.

    Attributes:
        dbfs: level of its loudest chunk.
        speech: whether speech was detected.
        problem: why it could not be recorded.
    """

    dbfs: float = QUIETEST_DBFS
    speech: bool = False
    problem: str = ""

    @property
    def is_zero(self) -> bool:
        """Return whether every sample was zero."""
        return self.dbfs <= QUIETEST_DBFS


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Facts that the app knows before the diagnosis listens.

    Attributes:
        device: name of the chosen input, None for the system's default.
        heard: its recent sound, if it is being recorded.
        is_loading, has_stopped: state of the engine.
        behind_seconds: audio that waits for the engine.
    """

    device: str | None = None
    heard: InputSound | None = None
    is_loading: bool = False
    has_stopped: bool = False
    behind_seconds: float = 0.0


def examine(known: Circumstances, stop: threading.Event, seconds: float = LISTEN_SECONDS) -> tuple[Finding, ...]:
    """Return the causes of silence, the likeliest first; takes a moment longer than `seconds`.

    Returns nothing if `stop` is set meanwhile.
    """
    from app.sound.audio_devices import list_input_devices

    forbidden = _FORBIDDEN.get(microphone_permission())
    if forbidden is not None and known.device != process_tap.NAME:  # what the computer plays needs no microphone
        return (Finding(forbidden),)
    try:
        devices = list_input_devices()
    except AudioError as error:
        return (Finding(Cause.REFUSES, detail=str(error)),)
    if not devices:
        return (Finding(Cause.NO_INPUT),)
    chosen = _chosen(known.device, devices)
    if chosen is None:
        return Finding(Cause.NOT_CONNECTED, detail=known.device or ""), *_of_engine(known)
    heard = _listen_to_all(known, chosen, _others(chosen, devices), stop, seconds)
    if stop.is_set():
        return ()
    return _judge(known, chosen, heard.pop(chosen), heard)


def listen(device: InputDevice, stop: threading.Event, seconds: float = LISTEN_SECONDS) -> InputSound:
    """Record an input for a moment, and return its level and whether it held speech."""
    samples = None
    if not device.is_default:
        samples = sound_server.record(device.name, seconds, stop)
    if samples is None:
        try:
            samples = _record(None if device.is_default else device.name, seconds, stop)
        except AudioError as error:
            return InputSound(problem=str(error))
    chunks = (samples[at : at + _CHUNK] for at in range(0, len(samples), _CHUNK))
    return InputSound(max(map(loudness_dbfs, chunks), default=QUIETEST_DBFS), speech=_has_speech(samples))


def _record(device: str | None, seconds: float, stop: threading.Event) -> Samples:
    import numpy as np

    from app.sound.audio_devices import microphone_chunks

    parts = [np.zeros(0, np.float32)]
    left = round(seconds * SAMPLE_RATE_HZ)
    enough = threading.Event()
    with _one_at_a_time:
        for chunk in microphone_chunks(device, enough):
            parts.append(chunk)
            left -= len(chunk)
            if left <= 0 or stop.is_set():
                enough.set()
    return np.concatenate(parts)


def _has_speech(samples: Samples) -> bool:
    from engine.audio.voice_activity import LevelledVoice, SpeechStarted, VoiceGate

    gate = VoiceGate(LevelledVoice())
    at = 0
    while at < len(samples):
        part = samples[at : at + gate.room]
        at += len(part)
        if isinstance(gate.add(part), SpeechStarted):
            return True
    return False


def _chosen(name: str | None, devices: Sequence[InputDevice]) -> InputDevice | None:
    if name is None:
        return next((each for each in devices if each.is_default), devices[0])
    return next((each for each in devices if each.name == name), None)


def _others(chosen: InputDevice, devices: Sequence[InputDevice]) -> list[InputDevice]:
    """List the inputs to listen to beside the chosen one.

    On a Mac this is the default microphone alone, where it is allowed: others may ask the person for a permission,
    turn a headset to the quality of a telephone, or wake an iPhone.
    """
    if sys.platform == "darwin":
        allowed = microphone_permission() is Permission.GRANTED
        return [each for each in devices if allowed and each.is_default and each is not chosen]
    else:
        behind_default = _behind_default(devices)
        others = [each for each in devices if not each.is_default and each not in (chosen, behind_default)]
        return [each for each in others if chosen is not behind_default or each is not devices[0]]


def _behind_default(devices: Sequence[InputDevice]) -> InputDevice | None:
    """Return the device behind the system's default."""
    source = sound_server.default_source()
    return next((each for each in devices if source is not None and each.name == source.name), None)


def _listen_to_all(
    known: Circumstances, chosen: InputDevice, others: list[InputDevice], stop: threading.Event, seconds: float
) -> dict[InputDevice, InputSound]:
    wanted = others[:MOST_AT_ONCE] if known.heard is not None else [chosen, *others[: MOST_AT_ONCE - 1]]
    with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="listening") as pool:
        heard = dict(
            zip(
                wanted,
                pool.map(lambda each: listen(each, stop, seconds), wanted),
                strict=True,
            )
        )
    return heard if known.heard is None else {chosen: known.heard, **heard}


def _judge(
    known: Circumstances, chosen: InputDevice, own: InputSound, others: dict[InputDevice, InputSound]
) -> tuple[Finding, ...]:
    of_input = _of_input(chosen, own)
    engine = _of_engine(known)
    if of_input.cause is Cause.HEARD:
        return engine or (of_input,)
    return of_input, *_elsewhere(own, others), *engine


def _of_input(device: InputDevice, heard: InputSound) -> Finding:
    source = _server_name(device)
    if heard.problem:
        cause = Cause.REFUSES
    elif heard.is_zero:
        cause = _why_zeros(device, source)
    elif heard.speech:
        cause = Cause.HEARD
    else:
        cause = Cause.QUIET if heard.dbfs < QUIET_DBFS else Cause.NO_SPEECH
    return Finding(cause, device, source.name if source is not None else "", heard.problem, heard.dbfs)


def _why_zeros(device: InputDevice, source: sound_server.ServerDevice | None) -> Cause:
    if source is not None and source.muted:
        return Cause.MUTED
    if source is not None and source.volume < LEAST_VOLUME:
        return Cause.TURNED_DOWN
    return Cause.NOTHING_PLAYS if device.is_monitor else Cause.ZEROS


def _server_name(device: InputDevice) -> sound_server.ServerDevice | None:
    sources = sound_server.sources()
    if device.is_default:
        return next((each for each in sources if each.is_default), None)
    return next((each for each in sources if each.name == device.name), None)


def _elsewhere(own: InputSound, others: dict[InputDevice, InputSound]) -> Iterator[Finding]:
    """Yield the input that receives most, if that is more than the chosen one receives."""
    if not others:
        return
    device, best = max(others.items(), key=lambda each: (each[1].speech, each[1].dbfs))
    if best.speech or (best.dbfs >= QUIET_DBFS > own.dbfs):
        yield Finding(Cause.ELSEWHERE, device, dbfs=best.dbfs)


def _of_engine(known: Circumstances) -> tuple[Finding, ...]:
    if known.has_stopped:
        return (Finding(Cause.STOPPED),)
    if known.is_loading:
        return (Finding(Cause.LOADING),)
    return (Finding(Cause.BEHIND, seconds=known.behind_seconds),) if known.behind_seconds > 0 else ()
