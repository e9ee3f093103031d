"""The built-in voice: espeak-ng in this process.

The library has global state and speaks one text at a time. So it is asked for one clause of an utterance at a time: it
ends each clause at a boundary of its sound and reports the position in the text. The next clause, asked for alone,
sounds as it would have within the whole. Between two clauses an utterance holds nothing of the library. A clause takes
a few milliseconds, so that the first sound comes long before the whole text is synthesized.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from engine.audio import Samples
from engine.errors import OptionError, VoiceError
from engine.speak.espeak_library import CLAUSE_END, EspeakLibrary, SpokenEvent, espeak_library
from engine.speak.voice import has_words, in_chunks, named, plain_text

USUAL_SPEAKER = "en-us"
MOST_CLAUSE_CHARACTERS = 250
"""Longest clause, in characters: about 15 seconds of sound. A longer one is cut between words."""

_BETTER_KNOWN = ("en-us", "en-gb", "de", "fr-fr", "es", "it", "nl", "pl", "pt-br", "ru", "cmn", "hi")


class EspeakVoice:
    """espeak-ng as a Voice.

    Attributes:
        name, rate_hz, language, words_per_minute, store_name: see Voice.
    """

    def __init__(self, speaker: str | None = None, words_per_minute: int = 175) -> None:
        """Select `speaker`: a language such as "de", possibly with a variant, such as "de+f3".

        Raises:
            OptionError: there is none of that name.
            VoiceError: espeak-ng does not start.
        """
        self._library = _started()
        self._speaker = _known(self._library, speaker or USUAL_SPEAKER)
        self.words_per_minute = words_per_minute
        self.language: str | None = self._speaker.partition("+")[0].partition("-")[0]
        self.name = f"espeak {self._speaker} {words_per_minute}"
        self.rate_hz = self._library.rate_hz
        self.store_name: str | None = None

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Start a sentence (see Voice)."""
        yield from in_chunks(self._clauses(plain_text(sentence)), self.rate_hz)

    def _clauses(self, text: str) -> Iterator[Samples]:
        while has_words(text):
            samples, end = self._clause(_beginning(text))
            yield samples.astype(np.float32) / np.float32(32768)
            text = text[end:]

    def _clause(self, text: str) -> tuple[NDArray[np.int16], int]:
        """Speak the first clause (n,); return it with its length in characters."""
        parts: list[NDArray[np.int16]] = []
        ends: list[int] = []

        def receive(samples: NDArray[np.int16], events: list[SpokenEvent]) -> bool:
            parts.append(samples)
            ends.extend(event.position for event in events if event.kind == CLAUSE_END)
            return not ends

        try:
            self._library.speak(text, receive, voice=self._speaker, words_per_minute=self.words_per_minute)
        except (LookupError, RuntimeError) as error:
            raise VoiceError(f"The built-in voice failed: {error}.") from error
        return np.concatenate(parts), min(ends[0], len(text)) if ends and ends[0] > 0 else len(text)


def _beginning(text: str) -> str:
    """Return the part of the text that is passed at once: a long text is cut at its last space."""
    if len(text) <= MOST_CLAUSE_CHARACTERS:
        return text
    cut = text.rfind(" ", 0, MOST_CLAUSE_CHARACTERS)
    return text[: cut + 1] if cut > 0 else text[:MOST_CLAUSE_CHARACTERS]


def _started() -> EspeakLibrary:
    try:
        return espeak_library()
    except (ImportError, OSError, RuntimeError) as error:
        raise VoiceError(f"The built-in voice does not start: {error}. Install Earshot again.") from error


def _known(library: EspeakLibrary, speaker: str) -> str:
    language, plus, variant = speaker.partition("+")
    languages = library.languages()
    if language not in languages:
        some = [name for name in _BETTER_KNOWN if name in languages]
        others = [name for name in languages if name.startswith(language[:2]) and name not in some]
        raise OptionError(f"speaker must be one of espeak's voices, not {speaker!r}: {named([*others, *some])}.")
    if plus and variant not in (variants := library.variants()):
        raise OptionError(f"speaker {language!r} has no variant {variant!r}: choose of {named(variants)}.")
    return speaker
