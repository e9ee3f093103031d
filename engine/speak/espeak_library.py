"""Binding of espeak-ng by ctypes: one instance per process, for the assistant's voice and for the recipes' speech."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

END_OF_TEXT, WORD, CLAUSE_END = 0, 1, 5
"""Kinds of events."""

_SYNCHRONOUS = 2
_DO_NOT_EXIT = 0x8000
_RATE, _PITCH = 1, 3
_POSITION_IN_CHARACTERS, _UTF8, _IPA = 1, 1, 2
_BUFFER_MS = 50
_GO_ON, _STOP = 0, 1

_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class SpokenEvent:
    """A position in the text that the speech has reached.

    Attributes:
        kind: WORD, CLAUSE_END, or another of espeak-ng's numbers.
        position: characters of the text before the word that begins, or up to the end of the clause.
        seconds: time from the start of the speech.
    """

    kind: int
    position: int
    seconds: float


Receiver = Callable[[NDArray[np.int16], list[SpokenEvent]], bool]
"""Receives the next samples (n,), n possibly 0, and the events in them; returns whether to go on."""


class _EventId(ctypes.Union):
    _fields_ = [
        ("number", ctypes.c_int),
        ("name", ctypes.c_char_p),
        ("string", ctypes.c_char * 8),
    ]


class _Event(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _EventId),
    ]


class _Voice(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("languages", ctypes.POINTER(ctypes.c_char)),  # pairs of a priority byte and a name, then a 0
        ("identifier", ctypes.c_char_p),
        ("gender", ctypes.c_ubyte),
        ("age", ctypes.c_ubyte),
        ("variant", ctypes.c_ubyte),
        ("internal", ctypes.c_ubyte),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    ]


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


class EspeakLibrary:
    """The library, started. It has global state, so it speaks one text at a time; any thread may call it.

    Attributes:
        rate_hz: sample rate of all its speech.
    """

    def __init__(self) -> None:
        import espeakng_loader

        library = ctypes.CDLL(espeakng_loader.get_library_path())
        library.espeak_Synth.argtypes = [
            ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int,
            ctypes.c_uint, ctypes.c_uint, ctypes.POINTER(ctypes.c_uint), ctypes.c_void_p,
        ]  # fmt: skip
        library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int]
        library.espeak_TextToPhonemes.restype = ctypes.c_char_p
        library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_Voice))
        library.espeak_ListVoices.argtypes = [ctypes.POINTER(_Voice)]
        data = espeakng_loader.get_data_path().encode()
        self.rate_hz = int(library.espeak_Initialize(_SYNCHRONOUS, _BUFFER_MS, data, _DO_NOT_EXIT))
        if self.rate_hz <= 0:
            raise RuntimeError("espeak-ng cannot start: its data folder is missing")
        self._library = library
        self._lock = threading.RLock()
        self._receive: Receiver | None = None
        self._failure: BaseException | None = None
        self._callback = _Callback(self._collect)  # kept alive for the library
        library.espeak_SetSynthCallback(self._callback)

    def speak(self, text: str, receive: Receiver, *, voice: str, words_per_minute: int, pitch: int = 50) -> None:
        """Speak plain `text`, passing on about 50 ms at a time until the end or until `receive` returns False.

        `receive` is called on this thread, and its exceptions are raised here. It must not start other speech.

        Raises:
            LookupError: there is no such voice.
            RuntimeError: the library failed.
        """
        encoded = text.encode(errors="replace")
        with self._lock:
            self._choose(voice)
            self._library.espeak_SetParameter(_RATE, words_per_minute, 0)
            self._library.espeak_SetParameter(_PITCH, pitch, 0)
            self._receive, self._failure = receive, None
            try:
                status = self._library.espeak_Synth(
                    encoded, len(encoded) + 1, 0, _POSITION_IN_CHARACTERS, 0, _UTF8, None, None
                )
            finally:
                failure, self._receive, self._failure = self._failure, None, None
        if failure is not None:
            raise failure
        if status != 0:
            raise RuntimeError(f"espeak-ng failed with error {status}")

    def phonemes(self, text: str, voice: str) -> list[tuple[str, str]]:
        """Return the clauses of a text, each with its phonemes in IPA with stress. Raises LookupError as `speak`
        does.

        A clause's text ends a few characters late, because the library looks ahead.
        """
        encoded = ctypes.create_string_buffer(text.encode(errors="replace"))
        begin = ctypes.addressof(encoded)
        rest = ctypes.c_void_p(begin)
        clauses = []
        with self._lock:
            self._choose(voice)
            while rest.value is not None:
                start = rest.value - begin
                found = self._library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _IPA) or b""
                end = rest.value - begin if rest.value is not None else len(encoded.value)
                clauses.append((encoded.value[start:end].decode(errors="replace"), found.decode(errors="replace")))
        return clauses

    def languages(self) -> tuple[str, ...]:
        """Return the languages it speaks, such as "en-us" and "de", sorted: names of voices."""
        return tuple(sorted(self._identifiers()))

    def variants(self) -> tuple[str, ...]:
        """List the variants that may follow a voice's name after a plus sign, such as "f3", sorted."""
        wanted = _Voice(languages=ctypes.cast(ctypes.create_string_buffer(b"variant"), ctypes.POINTER(ctypes.c_char)))
        with self._lock:
            found = [(voice.identifier or b"").decode() for voice in self._voices(wanted)]
        return tuple(sorted(identifier.rpartition("/")[2] for identifier in found))

    def _choose(self, name: str) -> None:
        """Select the voice of that name, or else that of the language."""
        if self._library.espeak_SetVoiceByName(name.encode(errors="replace")) == 0:
            return
        language, plus, variant = name.partition("+")
        identifier = self._identifiers().get(language)
        if identifier is None or self._library.espeak_SetVoiceByName(f"{identifier}{plus}{variant}".encode()) != 0:
            raise LookupError(f"espeak-ng has no voice named {name!r}")

    def _identifiers(self) -> dict[str, str]:
        """Return the voice of each language: the first with the best priority for it."""
        found: dict[str, tuple[int, str]] = {}
        with self._lock:
            for voice in self._voices(None):
                for rank, language in enumerate(_languages(voice)):
                    if rank < found.get(language, (rank + 1, ""))[0]:
                        found[language] = rank, (voice.identifier or b"").decode()
        return {language: identifier for language, (_, identifier) in found.items()}

    def _voices(self, wanted: _Voice | None) -> Iterator[_Voice]:
        listed = self._library.espeak_ListVoices(wanted and ctypes.byref(wanted))
        position = 0
        while listed[position]:
            yield listed[position].contents
            position += 1

    def _collect(self, wave: Any, count: int, events: Any) -> int:
        """Pass samples and events on; this is the library's callback, so nothing may be raised through it."""
        try:
            assert self._receive is not None
            spoken = bool(wave) and count > 0
            samples = np.ctypeslib.as_array(wave, shape=(count,)).copy() if spoken else np.zeros(0, np.int16)
            return _GO_ON if self._receive(samples, _listed(events)) else _STOP
        except BaseException as failure:
            self._failure = failure
            return _STOP


@cache
def _library() -> EspeakLibrary:
    return EspeakLibrary()


def espeak_library() -> EspeakLibrary:
    """Return the library, started on first use."""
    with _lock:
        return _library()


def _listed(events: Any) -> list[SpokenEvent]:
    listed = []
    position = 0
    while (event := events[position]).type != END_OF_TEXT:
        before = event.text_position - (event.type == WORD)  # words are counted from 1
        listed.append(SpokenEvent(event.type, before, event.audio_position / 1000.0))
        position += 1
    return listed


def _languages(voice: _Voice) -> Iterator[str]:
    position = 0
    while voice.languages[position] != b"\0":
        start = position + 1  # after the priority
        position = start
        while voice.languages[position] != b"\0":
            position += 1
        yield b"".join(voice.languages[i] for i in range(start, position)).decode()
        position += 1
