"""The chosen voice, one for another language, and espeak-ng where neither can be used.

Only the synthesizer that speaks is imported. A downloaded voice says a word before it is used: damaged weights may load
and then be silent, or fail.
"""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from engine.errors import EngineError, ModelError, OptionError, VoiceError, error_sentence
from engine.models.catalogue import CatalogueEntry, catalogue, find_model
from engine.options import STARTER_VOICE, VoiceOptions
from engine.speak.voice import Voice, reading_language
from engine.turns import Language
from engine.weights.storage import HIBARI_FILE, voice_kind

PIPER = "piper"
"""Stands for a voice of Piper's on this machine, one that speaks English if there is any."""

_KINDS = ("espeak", "kokoro", "hibari", PIPER)
"""First words of the names of voices whose languages are known."""

TRIED_WORD, LEAST_LEVEL = "Yes.", 0.001
"""A word that a downloaded voice says before it is used, and its least level: the loudest sample."""

_BUILT_IN = {"en": "en-us", "fr": "fr-fr", "zh": "cmn", "no": "nb"}
"""Languages that espeak-ng calls otherwise."""


def make_voice(options: VoiceOptions) -> Voice:
    """Create the chosen voice; others are not loaded.

    Raises:
        OptionError: there is no such speaker, or this machine has no such synthesizer.
        ModelError: there is no such voice on this machine.
        VoiceError: the voice cannot be used.
    """
    speaker, rate = options.speaker, options.words_per_minute
    if options.voice == "system":
        from engine.speak.system import SystemVoice

        return SystemVoice(speaker, rate)
    if options.voice == "espeak":
        from engine.speak.espeak import EspeakVoice

        return EspeakVoice(speaker, rate)
    return _from_folder(voice_folder(options.voice), speaker, rate)


def usable_voice(options: VoiceOptions, language: str = "en") -> tuple[Voice, str]:
    """Return the chosen voice, or espeak-ng's with the reason in one line; without a reason it is the chosen.

    The starter voice is not loaded in vain where another language is to be spoken: espeak-ng's is returned.

    Raises:
        VoiceError: not even espeak-ng can be used.
        OptionError: espeak-ng has no such speaker, or not the language.
    """
    if options.voice == STARTER_VOICE and language != "en":
        return built_in_voice(language, options.words_per_minute), ""
    try:
        return make_voice(options), ""
    except (ImportError, ModelError, OptionError, VoiceError) as error:  # ImportError: a damaged installation
        if options.voice == "espeak":
            raise
        built_in = make_voice(VoiceOptions("espeak", words_per_minute=options.words_per_minute))
        return built_in, f"{error_sentence(error)} eSpeak NG speaks instead."


def in_language(voice: Voice, language: str) -> Voice:
    """Return a voice for a language, at the same rate: this one if it speaks that, else another one of its kind on this
    machine, else espeak-ng's.

    The voice stays if nothing is known of its languages, or if no other can be used.
    """
    kind, rate = kind_of(voice), voice.words_per_minute
    if speaks(voice, language) or kind not in _KINDS:
        return voice
    if kind == "kokoro":
        from engine.speak.kokoro import KokoroVoice

        with suppress(VoiceError):  # its folder is gone
            if isinstance(voice, KokoroVoice) and (other := voice.into(language)) is not None:
                return other
    for entry in installed_voices():
        if entry.name.split("-")[0] == kind and language in entry.codes:
            try:
                return _from_folder(voice_folder(entry.name), None, rate, language)
            except EngineError:
                continue
    try:
        return built_in_voice(language, rate)
    except EngineError:
        return voice


def built_in_voice(language: str, words_per_minute: int) -> Voice:
    """Return espeak-ng's voice of a language. Raises OptionError if it has none."""
    return make_voice(VoiceOptions("espeak", _BUILT_IN.get(language, language), words_per_minute))


def speaks(voice: Voice, language: str) -> bool:
    """Return whether a voice is known to speak a language, whatever espeak-ng calls that."""
    return voice.language in (language, _BUILT_IN.get(language, language).partition("-")[0])


def kind_of(voice: Voice) -> str:
    """Return the synthesizer of a voice, such as "piper"."""
    return voice.name.split()[0]


def language_of(voice: Voice) -> Language:
    """Return the language of requests that a voice speaks; English if it is unknown or none of them."""
    return reading_language(voice) or "en"


def installed_voices() -> list[CatalogueEntry]:
    """Return the downloaded voices of the catalogue."""
    return [each for each in catalogue().values() if each.kind == "voice" and each.files and each.local_folder()]


def speakers_of(voice: str) -> tuple[str, ...]:
    """Return the speakers of a voice, as far as they are known without loading it; empty if it has only one."""
    try:
        if voice == "espeak":
            from engine.speak.espeak_library import espeak_library

            return tuple(sorted(espeak_library().languages()))
        if voice == "system":
            return ()
        folder = voice_folder(voice)
        kind = voice_kind(folder)
        if kind == "hibari":
            return ()
        if kind == "kokoro":
            from engine.speak.kokoro import read_speakers

            return read_speakers(folder)
        from engine.speak.piper import piper_file, read_settings

        return tuple(read_settings(piper_file(folder)).speakers)
    except (EngineError, ImportError, OSError, RuntimeError):
        return ()


def check_voice(folder: Path) -> None:
    """Check that a folder holds a whole voice. Raises VoiceError that says what is wrong."""
    from engine.speak.onnx_model import read_model

    kind = voice_kind(folder)
    if kind == "hibari":
        read_model(folder / HIBARI_FILE)
        return
    if kind == "kokoro":
        from engine.speak.kokoro import network_file, read_speakers

        read_speakers(folder)
        read_model(network_file(folder))
        return
    from engine.speak.piper import piper_file, read_settings

    read_settings(piper_file(folder))
    read_model(piper_file(folder))


def voice_folder(voice: str) -> Path:
    """Return the folder of a downloaded or added voice, or of one that is given as a folder. Raises ModelError."""
    if voice == PIPER:
        here = [each for each in installed_voices() if each.name.startswith(f"{PIPER}-")]
        if not here:
            raise ModelError("No voice of Piper's is on this machine. Fetch one: `earshot models get piper-kristin`.")
        voice = next((each for each in here if "en" in each.codes), here[0]).name
    return find_model(voice, "voice")[1]


def _from_folder(folder: Path, speaker: str | None, rate: int, language: str = "en") -> Voice:
    kind = voice_kind(folder)
    if kind == "hibari":
        from engine.speak.hibari import HibariVoice

        return _tried(HibariVoice(folder, speaker, rate), folder)
    if kind == "kokoro":
        from engine.speak.kokoro import KokoroVoice

        return _tried(KokoroVoice(folder, speaker, rate, language), folder)
    from engine.speak.piper import PiperVoice

    return _tried(PiperVoice(folder, speaker, rate), folder)


def _tried(voice: Voice, folder: Path) -> Voice:
    """Return a voice that can be heard. Raises VoiceError if it fails, or is silent."""
    with closing(voice.speak(TRIED_WORD)) as sound:
        if not any(np.abs(chunk).max(initial=0.0) >= LEAST_LEVEL for chunk in sound):
            raise VoiceError(f"The voice in {folder} makes no sound: it is damaged. Fetch it again.")
    return voice
