"""Translation within a caption session: it uses the time that it is given, reports its cost, and may fail alone.

A caption is never lost to its translation: an error here ends the translation, becomes an Incident, and the captions go
on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from engine.errors import error_sentence
from engine.events import Caption, Incident, Translation, TranslationSummary

if TYPE_CHECKING:
    from engine.audio import Samples
    from engine.clock import Clock
    from engine.translate.by_ear import EarTranslation
    from engine.translate.live import LiveTranslation

    CaptionTranslation = LiveTranslation | EarTranslation

T = TypeVar("T")


class Interpreter:
    """Translates captions step by step on the calling thread; each step is about one forward of a model."""

    def __init__(self, clock: Clock, report: Callable[[Incident], None]) -> None:
        """Begin without a translation; `report` receives incidents."""
        self._clock = clock
        self._report = report
        self._translation: CaptionTranslation | None = None
        self._summary: TranslationSummary | None = None

    @property
    def active(self) -> bool:
        """Return whether translations are to be expected."""
        return self._translation is not None

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything now."""
        return self._translation is not None and self._translation.busy

    @property
    def summary(self) -> TranslationSummary | None:
        """Return the cost so far; None without a translation."""
        return self._summary

    def translate_with(self, translation: CaptionTranslation | None) -> None:
        """Translate with another translation, or with none, from now on."""
        self.close()
        self._translation = translation
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
            if (translation := self._translation) is not None:
                self._attempt(partial(translation.offer, caption))
                self._pass_on_incidents(translation)

    def step(self) -> Translation | None:
        """Work for about the time of one forward; return new translations."""
        translation = self._translation
        return None if translation is None else self._counted(translation.step)

    def finish(self) -> Iterator[Translation]:
        """Complete all translations."""
        if self._translation is None:
            return
        rest = self._translation.finish()
        while (shown := self._counted(lambda: next(rest, None))) is not None:
            yield shown

    def close(self) -> None:
        """Discard unfinished translations."""
        translation, self._translation = self._translation, None
        if translation is not None:
            translation.close()

    def _counted(self, work: Callable[[], Translation | None]) -> Translation | None:
        """Do some work, add its time to the clock, and date its translations."""
        started = self._clock.timer()
        shown = self._attempt(work)
        self._clock.spend_since(started)
        assert self._summary is not None
        self._summary = replace(self._summary, seconds=self._summary.seconds + self._clock.timer() - started)
        if shown is None:
            return None
        self._summary = self._summary.plus(shown.stats)
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
