"""The language model under test: loaded once, used by every way of translating."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.clock import Timer
from engine.language.token_model import TranslationModel
from engine.options import TranslationOptions
from lab.bench.translation.measure import TextResult, translate_text
from lab.bench.translation.methods import PLAIN, TranslationMethod, ways
from lab.bench.translation.metrics import quality
from lab.bench.translation.texts import ALL_AT_ONCE, GrowingText, Revision, Text, growing

WARM_UP = GrowingText(
    "warm-up", (Revision(1, "This is"), Revision(1, "This is an example of"), Revision(1, "This is it.", True)), ()
)


def translators(
    model: TranslationModel, ways: Sequence[TranslationMethod], timer: Timer
) -> Callable[[TranslationMethod, GrowingText], TextResult]:
    """Return a function that translates a text in one of these ways; each way has one translator for all texts.

    Every translator translates something before it is measured.

    Raises:
        OptionError: a language that the model does not know.
        ModelError: the model's context is too short.
    """
    made = {way.name: way.translator(model) for way in ways}
    for translator in made.values():
        translate_text(translator, WARM_UP)
        translator.reset()

    def translate(way: TranslationMethod, text: GrowingText) -> TextResult:
        return translate_text(made[way.name], text.finished if way.finals_only else text, timer, doubtful=way.doubtful)

    return translate


def offline_chrf(model: TranslationModel, target: str, texts: Sequence[Text], name: str = PLAIN) -> float:
    """Return the chrF of complete texts, translated greedily or in another way.

    Raises:
        OptionError: a language that the model does not know.
        QualityError: sacrebleu is missing.
    """
    (chosen,) = (way for way in ways(TranslationOptions(target)) if way.name == name)
    translator = chosen.translator(model)
    found = [translate_text(translator, text).translation for text in growing(texts, ALL_AT_ONCE)]
    return quality(found, [text.references for text in texts], target).chrf
