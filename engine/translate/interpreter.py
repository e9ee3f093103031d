"""Translation within a caption session: it uses the time that it is given, reports its cost, and may fail alone.

A caption is never lost to its translation: an error here ends the translation, becomes an Incident, and the captions go
on. The translation may be spoken; if its voice fails, it goes on without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from engine.errors import error_sentence
from engine.events import Caption, Incident, SpokenTranslation, Translation, TranslationSummary

if TYPE_CHECKING:
    from engine.audio import Samples
    from engine.clock import Clock
    from engine.translate.by_ear import EarTranslation
    from engine.translate.live import LiveTranslation
    from engine.translate.spoken import TranslationSpeaker

    CaptionTranslation = LiveTranslation | EarTranslation

T = TypeVar("T")
Translated = Translation | SpokenTranslation
"""Results of translating captions."""


class Interpreter:
    """Translates captions step by step on the calling thread; each step is about one forward of a model."""

    def __init__(self, clock: Clock, report: Callable[[Incident], None]) -> None:
        """Begin without a translation; `report` receives incidents."""
        self._clock = clock
        self._report = report
        self._translation: CaptionTranslation | None = None
        self._summary: TranslationSummary | None = None
        self._speaker: TranslationSpeaker | None = None
        self._has_spoken = False  # the last step was the voice's

    @property
    def active(self) -> bool:
        """Return whether translations are to be expected."""
        return self._translation is not None

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything now."""
        return self._translation is not None and (self._translation.busy or self._speaks)

    @property
    def _speaks(self) -> bool:
        return self._speaker is not None and self._speaker.busy

    @property
    def summary(self) -> TranslationSummary | None:
        """Return the cost so far; None without a translation."""
        return self._summary

    def translate_with(self, translation: CaptionTranslation | None, speaker: TranslationSpeaker | None = None) -> None:
        """Translate with another translation, or with none, from now on; `speaker` speaks it."""
        self.close()
        self._translation, self._speaker = translation, speaker
        if translation is not None:
            self._summary = replace(self._summary or TranslationSummary(""), language=translation.options.target)
            self._pass_on_incidents(translation)

    def add_audio(self, chunk: Samples, end_seconds: float) -> None:
        """Pass on the newest sound; its last sample stands at `end_seconds`."""
        if self._translation is not None:
            self._translation.add_audio(chunk, end_seconds)

    def offer(self, captions: Iterable[Caption]) -> None:
        """Offer captions that have changed."""
        for caption in captions:
            if self._speaker is not None:
                self._speaker.offer(caption)
            if (translation := self._translation) is not None:
                self._attempt(partial(translation.offer, caption))
                self._pass_on_incidents(translation)

    def step(self) -> Translated | None:
        """Work for about the time of one forward; return a new translation, or sound of one.

        Voice and translation take turns while both have work.
        """
        translation = self._translation
        if translation is None:
            return None
        self._has_spoken = self._speaks and not (self._has_spoken and translation.busy)
        if self._has_spoken and self._speaker is not None:
            return self._spoken(self._speaker.step)
        return self._counted(translation.step)

    def finish(self) -> Iterator[Translated]:
        """Complete all translations, and speak them to the end."""
        if self._translation is None:
            return
        rest = self._translation.finish()
        while (shown := self._counted(lambda: next(rest, None))) is not None:
            yield shown
        if self._speaker is not None:
            sound = self._speaker.finish()
            while (spoken := self._spoken(lambda: next(sound, None))) is not None:
                yield spoken

    def close(self) -> None:
        """Discard unfinished translations."""
        translation, self._translation = self._translation, None
        self._speaker = None
        if translation is not None:
            translation.close()

    def _spoken(self, work: Callable[[], SpokenTranslation | None]) -> SpokenTranslation | None:
        """Make sound, and add its time to the clock; if the voice fails, go on without it."""
        started = self._clock.timer()
        try:
            return work()
        except Exception as error:  # whatever a voice may raise: hearing has not failed
            self._speaker = None
            self._report(Incident(f"The translation is shown, but not spoken any more: {error_sentence(error)}"))
            return None
        finally:
            self._clock.spend_since(started)

    def _counted(self, work: Callable[[], Translation | None]) -> Translation | None:
        """Do some work, add its time to the clock, and date its translations."""
        started = self._clock.timer()
        shown = self._attempt(work)
        self._clock.spend_since(started)
        if self._translation is not None:
            self._pass_on_incidents(self._translation)
        assert self._summary is not None
        self._summary = replace(self._summary, seconds=self._summary.seconds + self._clock.timer() - started)
        if shown is None:
            return None
        self._summary = self._summary.plus(shown.stats)
        if self._speaker is not None:
            self._speaker.add(shown)
        return replace(shown, emitted_seconds=self._clock.now())

    def _attempt(self, work: Callable[[], T]) -> T | None:
        """Do some work; an error ends the translation."""
        try:
            return work()
        except Exception as error:  # whatever a model may raise: hearing has not failed
            self._fail(error_sentence(error))
            return None

    def _pass_on_incidents(self, translation: CaptionTranslation) -> None:
        while translation.incidents:
            self._report(translation.incidents.popleft())

    def _fail(self, reason: str) -> None:
        self._translation = None
        self._report(Incident(f"Translation stopped, and captions go on without it: {reason}"))
