"""Translations that nobody waits for: the likeliest of several candidates, against the same search done plainly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from engine.errors import OptionError
from engine.language.language_model import LanguageModel, load_language_model
from engine.language.speculative_decoding import PREFILL_TOKENS, Speculation
from engine.options import TranslationOptions
from engine.translate.candidates import likeliest
from engine.translate.for_files import for_files
from engine.translate.prompt import PromptLayout
from engine.translate.source import clean
from engine.translate.translator import Translator
from tests.plain_decoding import result_of

Models = Callable[..., LanguageModel]
MOST_TOKENS = 24


def searched(model: LanguageModel, prompt: Sequence[int], size: int, most: int = MOST_TOKENS) -> Speculation:
    return result_of(likeliest(model, prompt, size, most))


def log_probabilities(model: LanguageModel, tokens: Sequence[int]) -> np.ndarray:
    logits = model.logits(tokens, model.new_cache(), 1)[0].astype(np.float64)
    return logits - np.logaddexp.reduce(logits)


def plainly(model: LanguageModel, prompt: Sequence[int], size: int, most: int) -> tuple[int, ...]:
    """Search without caches and batches; the end is whichever end token is likeliest."""
    live: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[tuple[float, tuple[int, ...]]] = []
    while len(ended) < size and live and len(live[0][1]) <= most:
        found = []
        for total, tokens in live:
            row = log_probabilities(model, [*prompt, *tokens])
            end = max(row[token] for token in model.end_tokens)
            row[list(model.end_tokens)] = -np.inf
            found.append((total + end, tokens, None))
            found += [(total + row[token], tokens, token) for token in np.argsort(-row)[: size + 1]]
        live = []
        for total, tokens, token in sorted(found, key=lambda entry: -entry[0]):
            if len(live) == size:
                break
            if token is None:
                ended.append((total, tokens))
            else:
                live.append((total, (*tokens, int(token))))
        ended = ended[:size]
    return max(ended, key=lambda entry: entry[0] / max(1, len(entry[1])))[1]


@pytest.fixture(scope="module")
def starter() -> LanguageModel:
    return load_language_model()


def test_the_search_is_that_without_caches_and_batches(starter: LanguageModel) -> None:
    layout = PromptLayout(starter, TranslationOptions("de"))
    for source in ("Where did you put my keys?", "I'd rather stay at home.", "Nobody knew what to do."):
        prompt = layout.tokens((), source)
        assert searched(starter, prompt, 3).tokens == plainly(starter, prompt, 3, MOST_TOKENS)


def test_any_of_several_ends_is_an_end(random_model: Models) -> None:
    model = random_model(ends=12)
    assert len(model.end_tokens) > 1
    prompt = PromptLayout(model, TranslationOptions("de")).tokens((), "the weather is nice")
    assert searched(model, prompt, 3).tokens == plainly(model, prompt, 3, MOST_TOKENS)


def test_one_candidate_is_greedy_decoding(starter: LanguageModel) -> None:
    translator = Translator(starter, TranslationOptions("fr"))
    prompt = PromptLayout(starter, TranslationOptions("fr")).tokens((), "How much does this cost?")
    found = clean(starter.decode(searched(starter, prompt, 1).tokens))
    assert found == translator.update("How much does this cost?", final=True).text


def test_a_long_prompt_is_read_in_blocks(random_model: Models) -> None:
    model = random_model(max_position_embeddings=2048)
    prompt = [1 + place % 200 for place in range(2 * PREFILL_TOKENS + 3)]
    steps = likeliest(model, prompt, 2, 4)
    next(steps), next(steps)  # a pause behind each of two blocks: what is urgent need not wait for all of it
    assert searched(model, prompt, 2, 4).tokens == searched(model, prompt, 2, 4).tokens


def test_only_what_is_finished_is_searched_for(starter: LanguageModel) -> None:
    source = "Take off your shoes before you come in."
    greedy, several = (Translator(starter, options) for options in (PLAIN, for_files(PLAIN)))
    assert several.update(source[:20]).whole == greedy.update(source[:20]).whole
    layout = PromptLayout(starter, PLAIN)
    found = several.update(source, final=True)
    assert found.text == starter.decode(searched(starter, layout.tokens((), source), 5).tokens)
    assert found.stats.forwards > 0 and found.stats.output > 0


def test_a_finished_sentence_is_searched_for_though_it_did_not_change(starter: LanguageModel) -> None:
    for source in SOURCES:
        grown, fresh = Translator(starter, for_files(PLAIN)), Translator(starter, for_files(PLAIN))
        grown.update(source)
        assert grown.update(source, final=True).text == fresh.update(source, final=True).text


def test_what_is_shown_for_good_stays(starter: LanguageModel) -> None:
    translator = Translator(starter, for_files(TranslationOptions("de", stable=True, mask=0)))
    for source in SOURCES:
        shown = translator.update(source).text
        assert translator.update(source, final=True).text.startswith(shown)


def test_where_no_candidate_ends_the_translation_is_the_usual_one(random_model: Models) -> None:
    model = random_model(ends=300)
    source = "the weather is nice today"
    assert searched(model, PromptLayout(model, PLAIN).tokens((), source), 3, 4).ended == "limit"
    found = [Translator(model, options).update(source, final=True).text for options in (PLAIN, for_files(PLAIN))]
    assert found[0] == found[1]


def test_several_candidates_translate_better(starter: LanguageModel) -> None:
    from lab.bench.translation.metrics import quality
    from lab.bench.translation.texts import read_set

    texts = read_set("bundled", "fr")[:40]
    scores = []
    for options in (TranslationOptions("fr"), for_files(TranslationOptions("fr"))):
        translator = Translator(starter, options)
        found = [translator.update(text.source, final=True).text for text in texts]
        scores.append(quality(found, [text.references for text in texts], "fr").chrf or 0.0)
    assert scores[1] > scores[0] + 0.5


@pytest.mark.parametrize("options", [TranslationOptions("de"), for_files(TranslationOptions("de"))])
def test_what_seems_to_lack_something_is_searched_for_once(
    starter: LanguageModel, monkeypatch: pytest.MonkeyPatch, options: TranslationOptions
) -> None:
    searches = []

    def counted(*given: Any) -> Any:
        searches.append(given)
        return likeliest(*given)

    monkeypatch.setattr("engine.translate.mending.lost_negation", lambda *_: True)
    monkeypatch.setattr("engine.translate.update.likeliest", counted)
    assert Translator(starter, options).update(SOURCES[0], final=True).text
    assert len(searches) == 1


@pytest.mark.parametrize("candidates", [0, 17])
def test_too_few_or_too_many_candidates_are_refused(candidates: int) -> None:
    with pytest.raises(OptionError, match="candidates"):
        TranslationOptions(candidates=candidates)


PLAIN = TranslationOptions("de")
SOURCES = ("Where did you put my keys?", "I'd rather stay at home tonight.", "Could you open the window, please?")
