"""The voice that was chosen; the others are not imported."""

from __future__ import annotations

from engine.options import VoiceOptions
from engine.speak.voice import Voice


def make_voice(options: VoiceOptions) -> Voice:
    """Make the voice that was chosen; others are not loaded.

    Raises:
        OptionError: there is no such speaker, or this machine has no such synthesiser.
        VoiceError: the synthesiser cannot be used.
    """
    if options.voice == "system":
        from engine.speak.system import SystemVoice

        return SystemVoice(options.speaker, options.words_per_minute)
    if options.voice == "kokoro":
        from engine.speak.kokoro import KokoroVoice

        return KokoroVoice(options.speaker, options.words_per_minute)
    from engine.speak.espeak import EspeakVoice

    return EspeakVoice(options.speaker, options.words_per_minute)
