"""Translations that are spoken while they grow, phrase by phrase, as an interpreter speaks.

Only text that is never taken back may be offered: translations of the option `stable`. A phrase ends with a clause, or
once it is long enough. While the voice speaks, text waits and the next phrase grows. The more text waits, the faster
the voice speaks, up to MOST_SPEED.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.audio import Samples
from engine.clock import Clock
from engine.errors import OptionError, VoiceError
from engine.events import Caption, SpokenTranslation, Translation
from engine.options import STARTER_VOICE, VoiceOptions
from engine.sentence_ends import CLAUSE, bare, ends_sentence
from engine.speak.choice import built_in_voice, in_language, kind_of, speaks, usable_voice
from engine.speak.joining import SpeechJoiner, trimmed
from engine.speak.reading import read_aloud
from engine.speak.voice import Voice, at_speed, has_words, reading_language
from engine.translate.display import units
from engine.translate.languages import NAMES, base_of

MOST_SPEED = 1.3
"""Largest speed of the voice, as a multiple of its usual one."""

UNHURRIED_SECONDS, HURRIED_SECONDS = 1.0, 4.0
"""Speech that waits: up to the first the voice keeps its speed, from the second on it has MOST_SPEED."""

AHEAD_SECONDS = 0.3
"""Sound that is left to play when the next phrase is begun, in seconds."""

STEP_SECONDS = 0.5
"""Sound that is made at once, in seconds: a round of hearing may come before the rest of a phrase."""

LEAST_WORDS, MOST_WORDS = 2, 4
"""Fewest words of a phrase that ends with a clause, and words after which one ends anywhere."""

CHARACTERS_A_SECOND = 15.0
"""Usual speed of voices."""

KEPT_CAPTIONS = 64
"""Captions whose times are kept; translations of older ones are not spoken any more."""


def voice_into(options: VoiceOptions, language: str) -> tuple[Voice, str]:
    """Return a voice that speaks a language, and in one line why it is not of the chosen kind.

    Nobody chose the starter voice, so that nothing is told where it does not speak the language.

    Raises:
        VoiceError: no voice here speaks the language.
    """
    language = base_of(language)
    name = NAMES.get(language, language)
    try:
        chosen, problem = usable_voice(options, language)
        voice = in_language(chosen, language)
        if voice is chosen and not speaks(chosen, language):
            voice = built_in_voice(language, options.words_per_minute)
    except OptionError as error:
        raise VoiceError(f"No voice here speaks {name}.") from error
    if not problem and options.voice != STARTER_VOICE and kind_of(voice) != kind_of(chosen):
        why = f"The chosen voice is not known to speak {name}."
        problem = f"{why} eSpeak NG speaks instead."
    return voice, problem


@dataclass(slots=True)
class _Heard:
    """A caption whose translation is spoken.

    Attributes:
        ends: when each of its words had been said.
        text: as much of its translation as never changes.
        whole: length of all of it, with what may still change.
        words: how many words of the caption it translates.
        said: how much of the text has been spoken, in characters.
    """

    ends: tuple[float, ...] = ()
    text: str = ""
    whole: int = 0
    words: int = 0
    said: int = 0
    final: bool = False

    @property
    def rest(self) -> str:
        return self.text[self.said :]

    @property
    def said_seconds(self) -> float:
        """Return when the original of the next word had been said: at the same share of the caption's words."""
        ends = self.ends[: self.words] or self.ends
        begun = len(self.text) - len(self.rest.lstrip())
        return ends[min(len(ends) - 1, begun * len(ends) // max(1, self.whole))]


class TranslationSpeaker:
    """Speaks the translations of one stream of captions. All methods are for one thread."""

    def __init__(
        self,
        voice: Voice,
        target: str,
        clock: Clock,
        since_seconds: float = 0.0,
        *,
        most_speed: float = MOST_SPEED,
        finished_only: bool = False,
    ) -> None:
        """Speak the translations of captions that begin after `since_seconds`, but none of what is in `target` already.

        `finished_only` speaks captions as a whole when they are finished.
        """
        self._voice = voice
        self._target = base_of(target)
        self._clock = clock
        self._most_speed = most_speed
        self._finished_only = finished_only
        self._since = since_seconds
        self._joiner = SpeechJoiner(voice.rate_hz)
        self._heard: dict[int, _Heard] = {}
        self._until = 0.0  # when all sound so far will have been played
        self._sound: Iterator[Samples] | None = None
        self._phrase = SpokenTranslation(0, "", b"", voice.rate_hz, 0.0, 0.0)  # the present one, without sound

    @property
    def busy(self) -> bool:
        """Return whether a step would make sound: of the present phrase, or of the next while little is left."""
        return self._sound is not None or (self._left < AHEAD_SECONDS and self._next() is not None)

    def offer(self, caption: Caption) -> None:
        """Note when the words of a caption were said; one in the target language is not spoken."""
        if caption.start >= self._since and base_of(caption.language) != self._target and not caption.is_gap:
            heard = self._heard.setdefault(caption.id, _Heard())
            heard.ends = tuple(word.end for word in (*caption.committed, *caption.pending)) or heard.ends
            while len(self._heard) > KEPT_CAPTIONS:
                del self._heard[next(iter(self._heard))]

    def add(self, translation: Translation) -> None:
        """Accept the present text of a translation; one that does not go on with what was said is not spoken."""
        heard = self._heard.get(translation.id)
        if heard is None or heard.final or not heard.ends:
            return
        if not translation.text.startswith(heard.text[: heard.said]):
            heard.text, heard.final = heard.text[: heard.said], True
            return
        heard.text, heard.final = translation.text, translation.final
        heard.whole = len(translation.text) + len(translation.hidden)
        heard.words = len(translation.source.split())

    def step(self) -> SpokenTranslation | None:
        """Make up to STEP_SECONDS of sound. Raises VoiceError if the voice fails."""
        if self._sound is None:
            self._begin()
        parts: list[Samples] = []
        while self._sound is not None and sum(map(len, parts)) < STEP_SECONDS * self._voice.rate_hz:
            chunk = next(self._sound, None)
            if chunk is None:
                self._sound = None
            elif not len(chunk):  # it is being computed on another thread
                break
            else:
                parts.append(chunk)
        return self._sent(np.concatenate(parts)) if parts else None

    def finish(self) -> Iterator[SpokenTranslation]:
        """Make the sound of all that waits."""
        while self._sound is not None or self._next() is not None:
            if (spoken := self.step()) is not None:
                yield spoken

    def _sent(self, sound: Samples) -> SpokenTranslation:
        """Return the next sound of the present phrase, to be played behind all other."""
        start = max(self._until, self._clock.now())
        self._until = start + len(sound) / self._voice.rate_hz
        sent = replace(self._phrase, samples=sound.tobytes(), start_seconds=start)
        self._phrase = replace(self._phrase, text="")
        return sent

    @property
    def _left(self) -> float:
        """Return how much sound is left to play, in seconds."""
        return self._until - self._clock.now()

    @property
    def _speed(self) -> float:
        """Return how fast to speak, by how much waits."""
        waiting = sum(len(heard.rest) for heard in self._heard.values()) / CHARACTERS_A_SECOND + max(0.0, self._left)
        hurry = (waiting - UNHURRIED_SECONDS) / (HURRIED_SECONDS - UNHURRIED_SECONDS)
        return 1 + (self._most_speed - 1) * min(1.0, max(0.0, hurry))

    def _next(self) -> tuple[int, str] | None:
        """Return the caption that is spoken next, and its next phrase."""
        for number in sorted(self._heard):
            heard = self._heard[number]
            if self._finished_only and not heard.final:
                continue
            if heard.rest and (phrase := ready_phrase(heard.rest, final=heard.final)):
                return number, phrase
        return None

    def _begin(self) -> None:
        """Begin the next phrase; one without words is passed over."""
        found = self._next()
        if found is None:
            return
        number, phrase = found
        heard, speed = self._heard[number], self._speed
        self._phrase = SpokenTranslation(
            number, phrase.strip(), b"", self._voice.rate_hz, heard.said_seconds, 0.0, round(speed, 3)
        )
        heard.said += len(phrase)
        if has_words(phrase):
            voice = at_speed(self._voice, speed)
            language = reading_language(voice)
            text = read_aloud(phrase, language) if language is not None else phrase
            self._sound = self._joiner.join(trimmed(voice.speak(text), voice.rate_hz))
        if self._left <= 0:
            self._joiner.restart()


def ready_phrase(rest: str, *, final: bool) -> str:
    """Return the beginning of a growing text that is worth saying; its last word may still grow, unless it is final."""
    if final:
        return rest
    words = units(rest)
    known = len(words) - 1
    ends = [count for count in range(LEAST_WORDS, known + 1) if _ends_clause(words[count - 1], words[count])]
    count = ends[-1] if ends else known if known >= MOST_WORDS else 0
    return "".join(words[:count])


def _ends_clause(word: str, following: str) -> bool:
    return ends_sentence(word, following) or bare(word)[-1:] in CLAUSE
