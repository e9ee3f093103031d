"""The language model that the translation benchmark is about: loaded once, asked in every way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.clock import Timer
from engine.language.language_model import LanguageModel
from engine.options import TranslationOptions
from engine.translate.translator import Translator
from lab.bench.translation.measure import TextResult, translate_text
from lab.bench.translation.methods import PLAIN, Way, ways
from lab.bench.translation.metrics import quality
from lab.bench.translation.texts import ALL_AT_ONCE, GrowingText, Revision, Text, growing

WARM_UP = GrowingText(
    "warm-up", (Revision(1, "This is"), Revision(1, "This is an example of"), Revision(1, "This is it.", True)), ()
)


def translators(model: LanguageModel, ways: Sequence[Way], timer: Timer) -> Callable[[Way, GrowingText], TextResult]:
    """Return a function that translates a text in one of these ways, each with a translator of its own for all texts.

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


def offline_chrf(model: LanguageModel, target: str, texts: Sequence[Text], name: str = PLAIN) -> float:
    """Translate texts when they are complete, greedily or in another way: their chrF.

    Raises:
        OptionError: a language that the model does not know.
        QualityError: sacrebleu is missing.
    """
    (chosen,) = (way for way in ways(TranslationOptions(target, context_sentences=0)) if way.name == name)
    translator = Translator(model, chosen.options)
    found = [translate_text(translator, text).translation for text in growing(texts, ALL_AT_ONCE)]
    return quality(found, [text.references for text in texts], target).chrf
