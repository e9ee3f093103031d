"""The language model that the translation benchmark is about: loaded once, asked in every way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.bench.translation.measure import TextResult, translate_text
from engine.bench.translation.methods import Way
from engine.bench.translation.texts import GrowingText
from engine.clock import Timer
from engine.language.language_model import LanguageModel
from engine.translate.translator import Translator

WARM_UP = GrowingText("warm-up", (("This is", "This is an example of", "This is an example of a sentence."),), ())


def translators(model: LanguageModel, ways: Sequence[Way], timer: Timer) -> Callable[[Way, GrowingText], TextResult]:
    """What translates a text in one of these ways, each with a translator of its own that goes on from text to text.

    Every one of them has translated something before it is measured.

    Raises:
        OptionError: a language that the model does not know.
        ModelError: the model's context is too short.
    """
    made = {way.name: Translator(model, way.options) for way in ways}
    for translator in made.values():
        translate_text(translator, WARM_UP)
        translator.reset()
    return lambda way, text: translate_text(made[way.name], text, timer)
