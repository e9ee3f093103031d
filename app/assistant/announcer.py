"""Spoken announcements that nobody has asked for at that moment: a timer is over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.options import VoiceOptions
from engine.turns import Language

if TYPE_CHECKING:
    from app.sound.playback import Player


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

    def _say(self, sentence: str, language: Language, options: VoiceOptions, player: Player) -> None:
        from engine.speak.choice import in_language, make_voice

        with self._turn, closing(player), suppress(EngineError):
            voice = in_language(make_voice(options), language)
            for chunk in voice.speak(sentence):
                player.play(chunk, voice.rate_hz)
            player.drain()
