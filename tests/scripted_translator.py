"""A translator that knows what it will say: the real queue of live translation, without a model's mistakes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from engine.events import TranslationStats
from engine.options import TranslationOptions
from engine.process.messages import Ready
from engine.process.process import TranslationMaker
from engine.translate.live import LiveTranslation
from engine.translate.translator import Translated
from tests.hear.planted import FakeTimer


@dataclass
class ScriptedTranslator:
    """Translates into capitals, with the last word held back until the sentence is final.

    Attributes:
        timer, cost_seconds: each word is a step that takes this long on that stopwatch.
        on_step: called before every step, for what happens meanwhile.
        sources, supports_glossary, left_out: see Translator.
        steps_taken: so far.
        closed: how many translations were given up.
    """

    options: TranslationOptions = field(default_factory=TranslationOptions)
    timer: FakeTimer = field(default_factory=FakeTimer)
    cost_seconds: float = 0.0
    on_step: Callable[[], None] = lambda: None
    sources: tuple[str, ...] | None = None
    supports_glossary: bool = True
    left_out: tuple[str, ...] = ()
    steps_taken: int = 0
    closed: int = 0

    def steps(
        self, source: str, *, final: bool = False, sentence: int = 0, settled: str | None = None
    ) -> Generator[None, None, Translated]:
        words = source.upper().split()
        try:
            for _ in words:
                self.on_step()
                self.steps_taken += 1
                self.timer.seconds += self.cost_seconds
                yield
        except GeneratorExit:
            self.closed += 1
            raise
        shown = words if final else words[:-1]
        hidden = "" if final else "".join(f" {word}" for word in words[-1:])
        stats = TranslationStats(drafted=2 * len(words), accepted=len(words), output=len(words), forwards=len(words))
        return Translated(" ".join(shown), hidden, source, final, True, stats)


def translating(translator: ScriptedTranslator | None = None) -> LiveTranslation:
    """Live translation by a scripted translator."""
    return LiveTranslation(translator or ScriptedTranslator())  # type: ignore[arg-type]


@dataclass(frozen=True)
class ScriptedLanguageModel:
    """Stands in for a language model in an engine process under test; travels to it by pickling."""

    def __call__(self, model: str) -> tuple[Ready, TranslationMaker]:
        return Ready(model, "cpu", 0.0, kind="language"), self.translation

    def translation(self, options: TranslationOptions) -> LiveTranslation:
        return translating(ScriptedTranslator(options))
