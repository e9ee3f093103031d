"""The configured voice, and one for another language; other synthesizers are not imported."""

from __future__ import annotations

from typing import get_args

from engine.errors import EngineError
from engine.options import VoiceOptions
from engine.speak.voice import Voice
from engine.turns import Language

_SPEAKERS: dict[str, dict[str, tuple[str, ...]]] = {
    "built in": {"en": ("en-us",), "de": ("de",), "fr": ("fr-fr",), "es": ("es",)},
    "espeak": {"en": ("en",), "de": ("de",), "fr": ("fr",), "es": ("es",)},
    "kokoro": {"en": ("a", "b"), "de": (), "fr": ("f",), "es": ("e",)},
}
"""Prefixes of the speakers' names by language; the built-in voice's are whole names."""


def make_voice(options: VoiceOptions) -> Voice:
    """Create the configured voice; others are not loaded.

    Raises:
        OptionError: there is no such speaker, or this machine has no such synthesizer.
        VoiceError: the synthesizer cannot be used.
    """
    if options.voice == "system":
        from engine.speak.system import SystemVoice

        return SystemVoice(options.speaker, options.words_per_minute)
    if options.voice == "kokoro":
        from engine.speak.kokoro import KokoroVoice

        return KokoroVoice(options.speaker, options.words_per_minute)
    from engine.speak.espeak import EspeakVoice

    return EspeakVoice(options.speaker, options.words_per_minute)


def in_language(voice: Voice, language: str) -> Voice:
    """Return a voice for "en", "de", "fr" or "es": this one if it speaks that, else the built-in one at the same
    rate.

    The voice stays if its languages are unknown, or if the built-in voice fails.
    """
    match voice.name.split():
        case ["espeak" | "kokoro" as kind, speaker, rate] if not speaker.startswith(_SPEAKERS[kind][language]):
            try:
                return make_voice(VoiceOptions("espeak", _SPEAKERS["built in"][language][0], int(rate)))
            except EngineError:
                return voice
    return voice


def language_of(voice: Voice) -> Language:
    """Return the language that a voice speaks; English if unknown."""
    match voice.name.split():
        case ["espeak" | "kokoro" as kind, speaker, _]:
            languages: tuple[Language, ...] = get_args(Language)
            return next((each for each in languages if speaker.startswith(_SPEAKERS[kind][each])), "en")
        case _:
            return "en"
