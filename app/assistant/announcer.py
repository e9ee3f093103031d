"""Sentences spoken outside a conversation: a timer is over, a voice is to be heard."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from app.preferences.settings import Settings
from engine.errors import EngineError, error_sentence
from engine.options import VoiceOptions
from engine.turns import Language

if TYPE_CHECKING:
    from app.sound.playback import Player
    from engine.speak.voice import Voice


SAMPLES = {
    "en": "This is how I sound when I answer you.",
    "de": "So klinge ich, wenn ich antworte.",
    "fr": "Voilà comment je parle quand je réponds.",
    "es": "Así sueno cuando respondo.",
    "pt": "É assim que soo quando respondo.",
}
"""Sentences that let a voice be heard, by its language; in English for the others."""


class Announcer:
    """Speaks sentences with the assistant's voice, one after the other, if answers are spoken at all.

    The caller also shows the sentence: without a voice or a loudspeaker nothing is heard.
    """

    def __init__(self, settings: Settings, make_player: Callable[[], Player]) -> None:
        """Create an announcer; the player is created with the first sentence."""
        self._settings = settings
        self._make_player = make_player
        self._turn = threading.Lock()

    def say(self, sentence: str, language: Language) -> None:
        """Speak a sentence; return at once."""
        preferences = self._settings.preferences
        if preferences.behaviour.speaks:
            arguments = (sentence, language, preferences.assistant.voice, self._make_player())
            threading.Thread(target=self._say, args=arguments, name="announcement", daemon=True).start()

    def sample(self, options: VoiceOptions, failed: Callable[[str], None]) -> None:
        """Speak a sentence with a voice, whether it is the chosen one or not; return at once.

        `failed` is called with the reason on another thread if the voice cannot be heard.
        """
        arguments = (options, self._make_player(), failed)
        threading.Thread(target=self._sample, args=arguments, name="sample", daemon=True).start()

    def _sample(self, options: VoiceOptions, player: Player, failed: Callable[[str], None]) -> None:
        from engine.speak.choice import make_voice

        with self._turn, closing(player):
            try:
                voice = make_voice(options)
                _play(voice, SAMPLES.get(voice.language or "", SAMPLES["en"]), player)
            except (EngineError, ImportError) as error:  # ImportError: a damaged installation
                failed(error_sentence(error))

    def _say(self, sentence: str, language: Language, options: VoiceOptions, player: Player) -> None:
        from engine.speak.choice import in_language, usable_voice

        with self._turn, closing(player), suppress(EngineError):
            voice = in_language(usable_voice(options, language)[0], language)
            _play(voice, sentence, player)


def _play(voice: Voice, sentence: str, player: Player) -> None:
    for chunk in voice.speak(sentence):
        if len(chunk):
            player.play(chunk, voice.rate_hz)
    player.drain()
