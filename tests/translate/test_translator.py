from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.language_model import LanguageModel
from engine.language.speculative_decoding import SpeculationOptions
from engine.options import Display, TranslationOptions
from engine.translate import update
from engine.translate.source import clean
from engine.translate.translator import Translated, Translator
from engine.translate.update import Drafting, without_loop, words_gone

Models = Callable[..., LanguageModel]

UNBIASED = TranslationOptions("de", bias=0)
EVERY = Drafting(skips_hidden=False, repairs=False, looks_no_further=False)


def full(model: LanguageModel, options: TranslationOptions = UNBIASED) -> Translator:
    """Make a translator that skips no revision."""
    return Translator(model, options, drafting=EVERY)


def plain(model: LanguageModel) -> Translator:
    """Make a translator that translates every source from nothing."""
    spending = SpeculationOptions(reuse_cache=False, resync=False)
    return Translator(model, UNBIASED, drafting=replace(EVERY, drafts=False), spending=spending)


PUBLISHED = replace(EVERY, biases_hidden=True, ending="biased")


SENTENCE = "the weather is nice today and we are going out to see the old river near the town"

WORDS = st.sampled_from(
    [
        "the",
        "weather",
        "is",
        "nice,",
        "today.",
        "and",
        "we",
        "3.14",
        "世界",
        "שלום",
        "😀",
        "a\u0301",
        "<|end|>",
        "\x07",
        "\ud800",
        "?",
    ]
)
SOURCES = st.one_of(st.lists(WORDS, max_size=5).map(" ".join), st.text(max_size=6))


@st.composite
def growing(draw: st.DrawFn) -> list[tuple[str, bool]]:
    """Draw sources with whether they are final: mostly each goes on from the last, some shrink or are new."""
    updates, source = [], ""
    for _ in range(draw(st.integers(1, 6))):
        match draw(st.integers(0, 5)):
            case 0:
                source = draw(SOURCES)
            case 1:
                source = source[: draw(st.integers(0, len(source)))]
            case _:
                source = f"{source} {draw(SOURCES)}"
        updates.append((source, draw(st.integers(0, 3)) == 0))
        source = "" if updates[-1][1] else source
    return updates


def prefixes(sentence: str, step: int = 1) -> list[str]:
    words = sentence.split()
    return [" ".join(words[:count]) for count in range(1, len(words) + 1, step)]


def follow(translator: Translator, sources: Sequence[str]) -> list[Translated]:
    return [translator.update(source) for source in sources]


def cancel(translator: Translator, source: str, after: int, *, final: bool = False) -> bool:
    """Begin an update and give it up after some forwards; whether it had not ended by itself."""
    steps = translator.steps(source, final=final)
    for _ in range(after):
        if next(steps, "ended") == "ended":
            return False
    steps.close()
    return True


@settings(max_examples=25)
@given(growing(), st.integers(0, 3), st.sampled_from([5, 12, 320]))
def test_without_a_bias_drafts_and_caches_change_nothing(
    random_model: Models, updates: list[tuple[str, bool]], seed: int, ends: int
) -> None:
    model = random_model(seed, ends)
    fast, alone = full(model), plain(model)
    for source, final in updates:
        assert fast.update(source, final=final) == alone.update(source, final=final)


def test_a_translation_that_was_not_written_to_its_end_is_none_of_a_finished_caption(random_model: Models) -> None:
    finals = []
    for no_further in (True, False):
        drafting = replace(EVERY, looks_no_further=no_further, ending="biased", least_odds=20.0)
        translator = Translator(random_model(2, 3), TranslationOptions("de"), drafting=drafting)
        for source in prefixes(SENTENCE):
            live = translator.update(source, settled=source)
        finals.append(translator.update(SENTENCE, settled=SENTENCE, final=True).text)
        assert not live.text
    assert finals[0] == finals[1] != ""


@pytest.mark.parametrize("bias", [0.0, 0.3])
@pytest.mark.parametrize("seed", [0, 2])
def test_what_cannot_be_shown_is_not_written_and_the_screen_is_as_it_was(
    random_model: Models, seed: int, bias: float
) -> None:
    options, sources = TranslationOptions("de", bias=bias), prefixes(SENTENCE)
    shown, forwards = list[list[str]](), list[int]()
    for no_further in (True, False):
        drafting = replace(EVERY, looks_no_further=no_further, least_odds=-1.0)
        translator = Translator(random_model(seed, 3), options, drafting=drafting)
        live = [translator.update(source, settled=source) for source in sources]
        final = translator.update(sources[-1], settled=sources[-1], final=True)
        shown.append([result.text for result in (*live, final)])
        forwards.append(sum(result.stats.forwards for result in live))
    assert shown[0] == shown[1] and any(shown[0][:-1])
    assert forwards[0] < forwards[1]


@settings(max_examples=25)
@given(growing(), SOURCES, st.integers(0, 6), st.booleans(), st.sampled_from([0.0, 0.2, 0.4]), st.booleans())
def test_an_update_that_was_given_up_leaves_no_trace(
    random_model: Models,
    updates: list[tuple[str, bool]],
    given_up: str,
    after: int,
    final: bool,
    bias: float,
    stable: bool,
) -> None:
    model = random_model(1, 20)
    options = TranslationOptions("de", bias=bias, stable=stable)
    disturbed, fresh = full(model, options), full(model, options)
    for source, ended in updates:
        if not cancel(disturbed, given_up, after, final=final):
            disturbed, fresh = full(model, options), full(model, options)
        assert disturbed.update(source, final=ended) == fresh.update(source, final=ended)


@settings(max_examples=20)
@given(growing(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 3), st.sampled_from([5, 12, 320]))
def test_in_stable_mode_what_was_shown_only_grows(
    random_model: Models, updates: list[tuple[str, bool]], bias: float, mask: int, ends: int
) -> None:
    display: Display = "mask-k" if mask < 3 else "live"
    translator = Translator(
        random_model(2, ends), TranslationOptions("de", bias=bias, display=display, mask=mask, stable=True)
    )
    shown = ""
    for source, final in updates:
        result = translator.update(source, final=final)
        assert result.text.startswith(shown)
        shown = "" if final else result.text


@settings(max_examples=20)
@given(growing(), st.integers(0, 3))
def test_any_text_has_a_translation_that_is_one_visible_line(
    random_model: Models, updates: list[tuple[str, bool]], mask: int
) -> None:
    translator = Translator(random_model(3), TranslationOptions("de", display="mask-k", mask=mask))
    for source, final in updates:
        result = translator.update(source, final=final)
        assert clean(result.whole) == result.whole
        assert result.source == source
        if final:
            assert (result.hidden, result.new) == ("", True)


def test_a_grown_sentence_offers_its_last_translation_as_draft(random_model: Models) -> None:
    translator = Translator(random_model(1), TranslationOptions("de", bias=1), drafting=PUBLISHED)
    first, *later = [result for result in follow(translator, prefixes(SENTENCE)) if result.new]
    assert first.stats.drafted == 0
    for earlier, grown in zip([first, *later], later, strict=False):
        assert grown.stats.drafted == grown.stats.accepted == earlier.stats.output
        assert grown.whole.startswith(earlier.whole)
    assert later[-1].stats.drafted > 0


def test_a_finished_sentence_becomes_context_and_no_draft_of_the_next(random_model: Models) -> None:
    model = random_model(1)
    translator, fresh = (full(model) for _ in range(2))
    assert translator.update("the weather is nice", final=True).text
    sources = prefixes("we see a town and its river")
    second, alone = follow(translator, sources), follow(fresh, sources)
    assert second[0].stats.drafted == 0
    assert second != alone
    translator.reset()
    assert follow(translator, sources) == alone


@pytest.mark.parametrize("asked", ["of the translator", "of the model"])
def test_without_context_a_sentence_is_translated_as_the_first_one(random_model: Models, asked: str) -> None:
    model = random_model(earshot={**SHORT, "context_sentences": 0} if asked == "of the model" else SHORT)
    sentences = 0 if asked == "of the translator" else None
    translator, fresh = (Translator(model, TranslationOptions("de"), context_sentences=sentences) for _ in range(2))
    translator.update("the weather is nice", final=True)
    assert translator.update("we are going") == fresh.update("we are going")


def test_sentences_that_are_open_at_once_do_not_disturb_each_other(random_model: Models) -> None:
    model = random_model()
    both, one, other = (Translator(model, TranslationOptions("de")) for _ in range(3))
    for mine, yours in zip(prefixes(SENTENCE), prefixes("we see a town and its river"), strict=False):
        assert both.update(mine, sentence=4) == one.update(mine)
        assert both.update(yours, sentence=5) == other.update(yours)


def test_a_source_with_no_new_word_is_not_translated_again_unless_it_is_final(random_model: Models) -> None:
    translator = full(random_model(), TranslationOptions("de"))
    first = translator.update("the weather")
    same = translator.update("The weather,")
    assert not same.new
    assert same.stats.forwards == 0
    assert same.whole == first.whole
    assert translator.update("The weather.", final=True).stats.forwards > 0


def test_an_empty_source_has_an_empty_translation_at_no_cost(random_model: Models) -> None:
    translator = Translator(random_model(), TranslationOptions("de"))
    for final in (False, True):
        result = translator.update(" \u200b\n", final=final)
        assert (result.whole, result.new, result.stats.forwards) == ("", True, 0)


def test_a_source_that_loses_all_its_words_clears_its_translation_but_for_stable_mode(random_model: Models) -> None:
    for stable in (False, True):
        translator = Translator(random_model(), TranslationOptions("de", display="mask-k", mask=0, stable=stable))
        shown = translator.update("the weather is").text
        assert shown
        assert translator.update("").whole == (shown if stable else "")


def test_nothing_but_marks_is_passed_on_as_it_is(random_model: Models) -> None:
    result = Translator(random_model(), TranslationOptions("de")).update("… ?!", final=True)
    assert (result.text, result.stats.forwards) == ("… ?!", 0)


def test_words_are_shown_as_soon_as_their_source_is_settled_without_a_forward(random_model: Models) -> None:
    drafting = replace(EVERY, least_odds=-50.0)
    grown = 0
    for source in prefixes(SENTENCE)[4:]:
        translator = Translator(random_model(1), TranslationOptions("de"), drafting=drafting)
        first = translator.update(source, settled="the weather")
        more = translator.update(source, settled=source)
        same = translator.update(source, settled=source)
        assert first.whole == more.whole and more.text.startswith(first.text)
        assert (more.new, more.stats.forwards) == (more.text != first.text, 0)
        assert (same.new, same.text) == (False, more.text)
        grown += more.new
    assert grown


def test_what_a_settled_source_reveals_shows_no_wrong_number_and_nothing_twice(
    random_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fault in ("until_foreign_number", "until_echo"):
        monkeypatch.setattr(f"engine.translate.translator.{fault}", lambda source, text: text[:1])
    drafting = replace(EVERY, repairs=True, least_odds=-50.0)
    longest = 0
    for source in prefixes(SENTENCE)[4:]:
        translator = Translator(random_model(1), TranslationOptions("de"), drafting=drafting)
        translator.update(source, settled="the weather")
        revealed = translator.update(source, settled=source)
        assert len(revealed.text) <= 1
        longest = max(longest, len(revealed.whole))
    assert longest > 1


@pytest.mark.parametrize("bias", [0.0, 0.3, 1.0])
def test_a_finished_translation_keeps_what_is_shown_or_is_the_models_own(random_model: Models, bias: float) -> None:
    kept = 0
    for seed in range(1, 5):
        model = random_model(seed)
        translator = Translator(model, TranslationOptions("de", bias=bias), drafting=replace(EVERY, least_odds=-2.0))
        last = follow(translator, prefixes(SENTENCE)[:-1])[-1]
        final = translator.update(SENTENCE, final=True)
        own = plain(model).update(SENTENCE, final=True)
        assert final.text.startswith(last.text) or final.text == own.text
        assert bias > 0 or final.text == own.text
        assert bias < 1 or final.text.startswith(last.text)
        kept += final.text != own.text
    assert bool(kept) == (bias > 0)


def test_a_general_model_writes_a_shown_text_anew_more_seldom(
    random_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[float, list[bool]] = {1.0: [], update.GENERAL_PREFERENCE: []}
    for preference, seed in product(kept, range(1, 13)):
        monkeypatch.setattr(update, "GENERAL_PREFERENCE", preference)
        model = random_model(seed)
        monkeypatch.setattr(model, "takes_instructions", True)
        drafting = replace(EVERY, least_odds=-2.0)
        translator = Translator(model, TranslationOptions("de", bias=0.3), drafting=drafting)
        last = follow(translator, prefixes(SENTENCE)[:-1])[-1]
        kept[preference].append(translator.update(SENTENCE, final=True).text.startswith(last.text))
    fewer, more = kept.values()
    assert all(general for general, other in zip(more, fewer, strict=True) if other)
    assert sum(more) > sum(fewer)


def test_a_source_written_anew_is_not_bound_to_the_old_translation(random_model: Models) -> None:
    model = random_model()
    options = TranslationOptions("de", bias=1)
    translator = Translator(model, options)
    translator.update("the weather is nice")
    assert translator.update("we are going out").whole == Translator(model, options).update("we are going out").whole


@pytest.mark.parametrize("bias", [0.2, 0.4, 1.0])
def test_without_a_bias_at_the_end_a_translation_is_what_the_model_alone_would_write(
    random_model: Models, bias: float
) -> None:
    model, changed = random_model(1), 0
    translator = Translator(model, TranslationOptions("de", bias=bias), drafting=replace(PUBLISHED, ending="own"))
    for sources in (prefixes(SENTENCE, 4), prefixes("we see a town and its river"), prefixes(SENTENCE)):
        last = follow(translator, sources)[-1]
        history = translator._history
        offline = plain(model)
        offline._history = history
        final = translator.update(sources[-1], final=True)
        assert final.text == offline.update(sources[-1], final=True).text
        changed += final.text != last.whole
    assert changed or bias < 1


def test_what_would_all_be_held_back_is_not_translated_before_it_is_final(random_model: Models) -> None:
    translator = Translator(random_model(1), TranslationOptions("de", display="mask-k", mask=4))
    results = follow(translator, prefixes(SENTENCE)[:8])
    assert [result.stats.forwards > 0 for result in results] == [False] * 4 + [True] * 4
    assert [result.new for result in results[:4]] == [False] * 4
    assert (
        Translator(random_model(1), TranslationOptions("de", display="mask-k", mask=4))
        .update("the weather", final=True)
        .text
    )
    every = full(random_model(1), TranslationOptions("de", display="mask-k", mask=4))
    assert every.update("the weather").stats.forwards > 0


def test_a_caption_that_loses_words_is_translated_again_once_something_is_shown(random_model: Models) -> None:
    translator = Translator(random_model(1, 40), TranslationOptions("de", display="mask-k", mask=3))
    assert follow(translator, prefixes(SENTENCE))[-1].text
    assert translator.update("the weather").stats.forwards > 0


@pytest.mark.parametrize(
    ("revised", "translated"),
    [
        ("the weather is nice today and we are staying at", False),  # the last two words
        ("the weather is nice today and we are", False),
        ("the weather is nice today and it was staying at", True),  # four of them
        ("the weather is bad today and we are going out", True),
        ("the weather is nice today and we are going out now", True),
        ("the weather is nice today", True),
    ],
)
def test_a_revision_of_words_whose_translation_is_held_back_waits_for_more(
    random_model: Models, revised: str, translated: bool
) -> None:
    said = "the weather is nice today and we are going out"
    translator = Translator(random_model(1), TranslationOptions("de", display="mask-k", mask=3))
    before = follow(translator, prefixes(said))[-1]
    after = translator.update(revised)
    assert (after.stats.forwards > 0) == translated
    assert translated or (after.whole == before.whole and not after.new)
    alone = Translator(random_model(1), TranslationOptions("de")).update(revised, final=True)
    assert translator.update(revised, final=True).text == alone.text


def test_what_is_finished_keeps_the_bias_at_no_cost(random_model: Models) -> None:
    translator = Translator(random_model(1), TranslationOptions("de", bias=1), drafting=PUBLISHED)
    last = follow(translator, prefixes(SENTENCE, 4))[-1]
    final = translator.update(prefixes(SENTENCE, 4)[-1], final=True)
    assert (final.text, final.stats.forwards) == (last.whole, 0)


def test_words_on_the_screen_are_kept_and_hidden_ones_are_not(random_model: Models) -> None:
    model = random_model(1)
    options = TranslationOptions("de", bias=1, display="mask-k", mask=3)
    live, published = (Translator(model, options, drafting=each) for each in (EVERY, PUBLISHED))
    kept, changed = 0, 0
    for before, after in pairwise(follow(live, prefixes(SENTENCE))):
        assert after.text.startswith(before.text)
        changed += not after.whole.startswith(before.whole)
    for before, after in pairwise(follow(published, prefixes(SENTENCE))):
        kept += after.whole.startswith(before.whole)
    assert changed and kept == len(prefixes(SENTENCE)) - 1


def test_the_surer_a_word_must_be_the_fewer_are_shown(random_model: Models) -> None:
    shown = []
    for least in (-50.0, -2.0, 50.0):
        drafting = replace(EVERY, least_odds=least)
        translator = Translator(random_model(1), TranslationOptions("de"), drafting=drafting)
        results = follow(translator, prefixes(SENTENCE))
        assert all(result.whole.startswith(result.text) for result in results)
        shown.append(sum(len(result.text) for result in results))
    assert shown[0] > shown[1] > shown[2] == 0


def test_a_finished_sentence_costs_one_forward_where_the_bias_held_words_and_none_where_it_did_not(
    random_model: Models,
) -> None:
    costs = {}
    for bias in (0.0, 0.3):
        drafting = replace(PUBLISHED, ending="own")
        translator = Translator(random_model(1), TranslationOptions("de", bias=bias), drafting=drafting)
        costs[bias] = []
        for step in (1, 2, 3, 4, 5):
            last = follow(translator, prefixes(SENTENCE, step))[-1]
            held = any(part.biased for part in translator._open[0].parts)
            final = translator.update(last.source, final=True)
            costs[bias].append((held, final.whole == last.whole, final.stats.forwards))
            translator.reset()
    assert {forwards for _, _, forwards in costs[0.0]} == {0}
    assert all((forwards > 0) == held for held, _, forwards in costs[0.3])
    assert all(forwards == 1 for held, same, forwards in costs[0.3] if held and same)
    assert any(held for held, _, _ in costs[0.3])


def test_a_translation_with_other_context_than_it_had_is_made_again_when_it_is_finished(random_model: Models) -> None:
    model = random_model(1)
    translator = full(model)
    translator.update("the weather is nice", sentence=1)
    translator.update("we are going out", sentence=2)
    translator.update("the weather is nice", final=True, sentence=1)
    alone = plain(model)
    alone.update("the weather is nice", final=True)
    assert translator.update("we are going out", final=True, sentence=2) == alone.update("we are going out", final=True)


def test_a_model_that_finds_no_end_shows_nothing_new_until_the_last_pass(random_model: Models) -> None:
    translator = full(random_model(ends=320))
    endless = [result for result in follow(translator, prefixes(SENTENCE)) if not result.new]
    assert endless
    assert all(result.stats.forwards > 0 for result in endless)
    final = translator.update(SENTENCE, final=True)
    assert final.new
    assert final.text


def test_an_endless_translation_is_no_example_for_the_next(random_model: Models) -> None:
    model = random_model(ends=320)
    translator = full(model)
    endless = translator.update(SENTENCE, final=True)
    count = len(model.encode(SENTENCE))
    assert endless.stats.output == -(-count * 16 // 10) + 16
    assert translator.update("we are going") == full(model).update("we are going")


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ((1, 2, 3), (1, 2, 3)),
        ((1, 2, 3, 3), (1, 2, 3, 3)),
        ((1, 2, 3, 3, 3), (1, 2, 3)),
        ((9, 1, 2, 1, 2, 1, 2, 1), (9, 1, 2)),
        ((5, 5, 5, 5, 5, 5), (5,)),
        ((1, 2, 1, 2), (1, 2, 1, 2)),
        ((), ()),
    ],
)
def test_a_loop_is_cut_after_its_first_time_round(tokens: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert without_loop(tokens) == expected


@pytest.mark.parametrize(
    ("shown", "text", "gone"),
    [
        ("Zum", "Zu Ende.", 1),
        ("Im Haus", "Im Haustürflur", 1),
        ("Im Haus", "Im Haus.", 0),
        ("Im Haus, da", "Im Haus. Da", 2),
        ("", "Da", 0),
    ],
)
def test_a_word_that_grows_or_shrinks_is_gone(shown: str, text: str, gone: int) -> None:
    assert words_gone(shown, text) == gone


def test_masking_the_draft_offers_no_more_than_is_shown(random_model: Models) -> None:
    drafted = {}
    for trims in (False, True):
        drafting = Drafting(trims_draft=trims)
        translator = Translator(random_model(1), TranslationOptions("de", display="mask-k", mask=2), drafting=drafting)
        results = [result for result in follow(translator, prefixes(SENTENCE)) if result.new]
        drafted[trims] = [
            (earlier.stats.output, later.stats.drafted)
            for earlier, later in pairwise(results)
            if earlier.hidden.strip("\ufffd ")
        ]
    assert all(offered == output for output, offered in drafted[False])
    assert all(offered < output for output, offered in drafted[True])
    assert any(offered > 0 for _, offered in drafted[True])


# --- sources longer than the model's context has room for ---

OFTEN = " ".join([SENTENCE] * 6)
SHORT = {"translation_instruction": "{target}", "context_tokens": 200}


def test_a_source_of_10_000_words_is_translated_part_by_part_and_each_update_costs_one(random_model: Models) -> None:
    model = random_model(1, 5, max_position_embeddings=8192)
    translator = full(model, TranslationOptions("de"))
    words = [f"{word}." if count % 9 == 8 else word for count, word in enumerate((SENTENCE.split() * 600)[:10_000])]
    whole = translator.update(" ".join(words))
    assert len(whole.whole.split()) > 10
    for count in range(1, 4):
        grown = translator.update(" ".join([*words, *["and", "more", "words"][:count]]))
        assert grown.stats.forwards < 40 < whole.stats.forwards
    assert translator.update(" ".join(words), final=True).text


def test_finished_parts_of_a_long_source_stay_and_come_before_the_last(random_model: Models) -> None:
    translator = Translator(random_model(earshot=SHORT), TranslationOptions("de", display="mask-k", mask=0))
    results = follow(translator, prefixes(OFTEN, 5))
    parts = translator._open[0].parts
    assert len(parts) > 2
    assert " ".join(part.source for part in parts) == results[-1].source
    for part in parts[:-1]:
        assert part.text in results[-1].whole


@settings(max_examples=12)
@given(growing(), st.integers(0, 3))
def test_a_long_source_without_a_bias_is_translated_as_without_drafts(
    random_model: Models, updates: list[tuple[str, bool]], seed: int
) -> None:
    model = random_model(seed, 12, earshot=SHORT)
    fast, alone = full(model), plain(model)
    for source, final in updates:
        long = f"{source} {SENTENCE} {source}"
        assert fast.update(long, final=final) == alone.update(long, final=final)


@settings(max_examples=12)
@given(growing(), st.integers(0, 2))
def test_in_stable_mode_a_long_source_only_grows_too(
    random_model: Models, updates: list[tuple[str, bool]], mask: int
) -> None:
    translator = Translator(
        random_model(1, earshot=SHORT), TranslationOptions("de", display="mask-k", mask=mask, stable=True)
    )
    shown, spoken = "", ""
    for source, final in updates:
        spoken = f"{spoken} {source}" if len(source) % 3 else f"{source} {spoken}"
        result = translator.update(spoken, final=final)
        assert result.text.startswith(shown)
        shown, spoken = ("", "") if final else (result.text, spoken)


def test_words_whose_source_was_heard_only_once_are_not_shown_yet(random_model: Models) -> None:
    drafting = Drafting(least_odds=-50.0, repairs=False)
    translator = Translator(random_model(1, 6), TranslationOptions("de"), drafting=drafting)
    first = translator.update("the weather is nice today")
    assert (first.new, first.text) == (False, "")
    other = translator.update("we see a town and its river")
    assert (other.new, other.text) == (False, "")
    grown = translator.update("we see a town and its river now")
    assert grown.new and grown.text
    fewer = translator.update("we see it")
    assert not fewer.new and fewer.text == grown.text


def test_a_repair_is_given_up_like_any_translation(random_model: Models) -> None:
    model = random_model(2)
    disturbed, fresh = (Translator(model, UNBIASED) for _ in range(2))
    assert cancel(disturbed, "we are 3", 12, final=True)
    assert disturbed.update("the 2 towns", final=True) == fresh.update("the 2 towns", final=True)
