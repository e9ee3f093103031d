"""Changes of preferences that concern more than one value; each returns valid preferences. No Qt."""

from __future__ import annotations

from dataclasses import replace

from app.preferences.preferences import Preferences, Threads
from engine.options import AssistantOptions, CaptionOptions, Decoder, TranslationOptions, TurnOptions


def with_voice(preferences: Preferences, voice: str) -> Preferences:
    """Return preferences with another synthesizer and its default speaker: each has speakers of its own."""
    options = replace(preferences.assistant.voice, voice=voice, speaker=None)
    return replace(preferences, assistant=replace(preferences.assistant, voice=options))


def with_pause(preferences: Preferences, seconds: float) -> Preferences:
    """Return preferences with another silence that ends a turn; the sure and doubtful silences keep their ratio to
    it.
    """
    usual = TurnOptions()
    share = seconds / usual.silence_seconds
    turns = replace(
        preferences.assistant.turns,
        silence_seconds=seconds,
        sure_silence_seconds=max(0.1, round(usual.sure_silence_seconds * share, 3)),
        doubtful_silence_seconds=round(usual.doubtful_silence_seconds * share, 3),
    )
    return replace(preferences, assistant=replace(preferences.assistant, turns=turns))


def with_decoder(preferences: Preferences, decoder: Decoder) -> Preferences:
    """Return preferences with another decoder. Pruning needs one token at a time, so multi-token decoding verifies."""
    decode = replace(preferences.captions.decode, decoder=decoder)
    if decoder == "multitoken" and decode.reuse == "prune":
        decode = replace(decode, reuse="verify")
    return replace(preferences, captions=replace(preferences.captions, decode=decode))


def with_threads(preferences: Preferences, cpu_threads: int, gpu_threads: int, *, pipeline: bool) -> Preferences:
    """Return preferences with these thread counts."""
    captions = replace(preferences.captions, pipeline=pipeline)
    return replace(preferences, threads=Threads(False, cpu_threads, gpu_threads), captions=captions)


def usual_hearing(preferences: Preferences) -> Preferences:
    """Return the default captions with the chosen language, pipeline and words to know."""
    chosen = preferences.captions
    kept = CaptionOptions(
        language=chosen.language, allowed_languages=chosen.allowed_languages, pipeline=chosen.pipeline
    )
    kept = replace(kept, decode=replace(kept.decode, vocabulary=chosen.decode.vocabulary))
    return replace(preferences, captions=kept)


def usual_translation(preferences: Preferences) -> Preferences:
    """Return the default translations with the chosen language and glossary."""
    chosen = preferences.translation
    kept = TranslationOptions(target=chosen.target, source=chosen.source, glossary=chosen.glossary)
    return replace(preferences, translation=kept)


def usual_assistant(preferences: Preferences) -> Preferences:
    """Return the default assistant with the chosen voice, push-to-talk and barge-in."""
    usual, chosen = AssistantOptions(), preferences.assistant
    voice = replace(usual.voice, voice=chosen.voice.voice, speaker=chosen.voice.speaker)
    turns = replace(usual.turns, push_to_talk=chosen.turns.push_to_talk, barge_in=chosen.turns.barge_in)
    return replace(preferences, assistant=replace(usual, voice=voice, turns=turns))


def usual_threads(preferences: Preferences) -> Preferences:
    """Return preferences with the profiled threads."""
    captions = replace(preferences.captions, pipeline=None)
    return replace(preferences, threads=Threads(), captions=captions)
