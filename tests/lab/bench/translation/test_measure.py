"""The translation benchmark: what it counts, against updates that are known."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import pytest

from engine.events import TranslationStats
from engine.language.speculative_decoding import SpeculationOptions
from engine.options import TranslationOptions
from engine.translate.translator import Translated
from lab.bench.side_by_side import compare
from lab.bench.tables import records_of, table_of
from lab.bench.translation.measure import MeasuredTranslation, TextResult, measure_all, together, translate_text
from lab.bench.translation.methods import (
    BIASES,
    CAREFUL,
    FINALS_ONLY,
    FULL,
    PLAIN,
    PUBLISHED_BIAS,
    QUICK,
    STABLE,
    UNCACHED,
    TranslationMethod,
    biased,
    display_only,
    trimmed,
    ways,
)
from lab.bench.translation.metrics import ByChance, difference_by_chance
from lab.bench.translation.tables import ALL as COLUMNS
from lab.bench.translation.tables import FIGURES, QUALITY, WORK, TranslationRow, figures, rows, with_chance
from lab.bench.translation.texts import GrowingText, Revision
from tests.hear.planted import FakeTimer

ALL = ways(TranslationOptions(target="fr"))
STATS = TranslationStats(drafted=10, accepted=8, output=12, forwards=5, resync_drafted=2, resync_accepted=1)
TEXT = GrowingText("a", (Revision(1, "one two"), Revision(1, "one two three four", True)), ("un deux trois quatre",))


class ScriptedTranslator:
    """Shows what it was told to; every forward takes a second of a timer."""

    def __init__(self, shown: dict[str, str], timer: FakeTimer, pauses: int = 2) -> None:
        self.asked: list[tuple[int, str, bool]] = []
        self.restarted: list[int] = []
        self._shown = shown
        self._timer = timer
        self._pauses = pauses

    def restart(self, sentence: int) -> None:
        self.restarted.append(sentence)

    def steps(
        self, source: str, *, final: bool, sentence: int, settled: str | None
    ) -> Generator[None, None, Translated]:
        self.asked.append((sentence, source, final))
        for _ in range(self._pauses):
            self._timer.seconds += 1.0
            yield
        self._timer.seconds += 1.0
        return Translated(self._shown[source], "", source, final, True, STATS)


SHOWN = {"one two": "un deus", "one two three four": "un deux trois quatre"}


def way(name: str) -> TranslationMethod:
    return next(each for each in ALL if each.name == name)


def result(seconds: float = 3.0, text: GrowingText = TEXT) -> TextResult:
    timer = FakeTimer()
    found = translate_text(ScriptedTranslator(SHOWN, timer), text, lambda: timer.seconds * seconds / 3)
    return found


def measured(**seconds: float) -> dict[str, MeasuredTranslation]:
    names = {name.replace("_", "-").replace("ssbd-", "ssbd@0."): value for name, value in seconds.items()}
    return {name: together([result(value)], "fr") for name, value in names.items()}


def test_captions_are_translated_in_the_order_in_which_they_come() -> None:
    timer = FakeTimer()
    translator = ScriptedTranslator({**SHOWN, "five": "cinq"}, timer)
    revisions = (Revision(1, "one two"), Revision(2, "five"), Revision(1, "one two three four", True))
    text = GrowingText("a", (*revisions, Revision(2, "five", True)), ("un deux trois quatre cinq",))
    found = translate_text(translator, text, lambda: timer.seconds)
    assert translator.asked == [(each.caption, each.source, each.final) for each in text.revisions]
    assert sorted(translator.restarted) == [1, 2]
    assert found.finals == ["un deux trois quatre", "cinq"]
    assert found.translation == "un deux trois quatre cinq"
    assert [[update.words for update in caption] for caption in found.captions] == [[2, 4], [1, 1]]


def test_doubtful_words_are_left_out_where_that_is_asked_for_and_count_as_heard() -> None:
    text = GrowingText("a", (Revision(1, "one two", sure="one"), Revision(1, "one two", True)), ())
    for doubtful, asked in ((True, "one two"), (False, "one")):
        translator = ScriptedTranslator({"one": "un", "one two": "un deux"}, FakeTimer())
        result = translate_text(translator, text, doubtful=doubtful)  # type: ignore[arg-type]
        assert translator.asked[0] == (1, asked, False)
        assert [update.words for update in result.updates] == [2, 2]


def test_time_is_split_at_the_first_token_that_was_not_drafted() -> None:
    updates = result(seconds=3.0).updates
    assert [(update.verify_seconds, update.decode_seconds) for update in updates] == [(1.0, 2.0), (1.0, 2.0)]
    timer = FakeTimer()
    at_once = translate_text(ScriptedTranslator(SHOWN, timer, pauses=0), TEXT, lambda: timer.seconds)
    assert [(u.verify_seconds, u.decode_seconds) for u in at_once.updates] == [(1.0, 0.0), (1.0, 0.0)]


def test_the_counters_of_all_updates_are_summed_before_anything_is_divided() -> None:
    found = together([result(), result()], "fr")
    assert (found.updates, found.totals.output, found.totals.resync_accepted) == (4, 48, 4)
    assert found.acceptance_drafted == pytest.approx(0.8)
    assert found.acceptance_output == pytest.approx(8 / 12)
    assert found.forwards_per_update == 5
    assert found.tokens_per_second == pytest.approx(48 / 12)
    assert (found.verify_seconds, found.decode_seconds) == (4.0, 8.0)
    assert found.update is not None and found.update.p50 == 3.0


def test_erasure_and_lag_are_of_what_was_shown() -> None:
    found = together([result()], "fr")
    assert found.erasure == found.taken_back == found.taken_back_at_end == pytest.approx(1 / 4)  # "deus"
    # un was there after two words of four, the others after four: 2 - 1, 4 - 2, 4 - 3, 4 - 4.
    assert found.lag_words == pytest.approx((1 + 2 + 1 + 0) / 4)
    assert found.shown_before_end == pytest.approx(1 / 4)
    assert found.quality.bleu == pytest.approx(100)


def test_finished_captions_only_are_neither_early_nor_taken_back() -> None:
    found = together([result(text=TEXT.finished)], "fr")
    assert (found.updates, found.taken_back, found.shown_before_end) == (1, 0, 0)
    assert found.lag_words == pytest.approx((3 + 2 + 1 + 0) / 4)
    assert way(FINALS_ONLY).finals_only
    row = next(row for row in rows(ALL, measured(plain=6.0, finals_only=1.5, full=3.0)) if row.way.name == FULL)
    assert (row.speedup, row.speedup_over_finals_only) == (2, 0.5)


def test_intervals_are_of_what_other_texts_might_have_shown() -> None:
    found = together([result(), result(text=TEXT.finished)] * 4, "fr")
    taken = found.intervals["taken_back"]
    assert taken is not None and 0 <= taken.low < (found.taken_back or 0) < taken.high <= 0.25
    alike = together([result()] * 4, "fr").intervals["lag_words"]
    assert alike is not None and alike.low == alike.high == pytest.approx(1)


def test_updates_of_about_twenty_words_are_told_apart() -> None:
    source = " ".join(["word"] * 20)
    text = GrowingText("long", (Revision(1, "one two"), Revision(1, source, True)), ("x",))
    timer = FakeTimer()
    found = together(
        [translate_text(ScriptedTranslator({"one two": "a", source: "b"}, timer), text, lambda: timer.seconds)], "fr"
    )
    assert found.update_20_words is not None and found.update_20_words.p95 == 3.0
    assert together([result()], "fr").update_20_words is None


def test_every_way_translates_a_text_before_any_translates_the_next_and_another_one_begins() -> None:
    texts = [GrowingText(name, (Revision(1, "one", True),), ("un",)) for name in "abc"]
    asked: list[str] = []

    def translate(each: TranslationMethod, text: GrowingText) -> TextResult:
        asked.append(f"{text.name}{each.name}")
        return TextResult(text, ())

    found = list(compare([way(PLAIN), way(FULL)], texts, translate))
    assert asked == ["aplain", "afull", "bfull", "bplain", "cplain", "cfull"]
    assert all(set(each) == {PLAIN, FULL} for each in found)


def test_the_published_ways_have_nothing_that_the_paper_has_not() -> None:
    for each in ALL:
        options, drafting, spending = each.options, each.drafting, each.spending or SpeculationOptions()
        if each.table in ("bias", "mask"):
            assert not (spending.resync or spending.look_ahead or drafting.repairs or drafting.skips_hidden)
            assert drafting.biases_hidden and drafting.ending == "biased" and options.display == "mask-k"
            assert not options.stable and each.doubtful
        assert options.target == "fr"
        assert spending.reuse_cache == (each.name != UNCACHED)
    assert [each.name for each in ALL if not each.drafting.drafts] == [PLAIN, UNCACHED, FINALS_ONLY, CAREFUL]
    assert [way(biased(bias)).options.bias for bias in BIASES] == list(BIASES)
    assert way(biased(PUBLISHED_BIAS)).options.mask == 0
    assert way(trimmed(5)).drafting.trims_draft and way(trimmed(5)).options.mask == 5
    assert not way(display_only(5)).drafting.trims_draft and way(display_only(5)).options.mask == 5


def test_earshots_own_way_is_its_default() -> None:
    assert way(FULL) == TranslationMethod(FULL, way(FULL).title, "ours", TranslationOptions(target="fr"))
    assert way(STABLE).options.stable
    names = [each.name for each in ALL]
    assert len(set(names)) == len(names)
    assert set(QUICK) <= set(names)


def test_the_headline_figures_are_ratios_to_plain_retranslation_in_the_same_run() -> None:
    heard = rows(ALL, measured(plain=5.0, full=2.0))
    found = figures(rows(ALL, measured(plain=6.0, plain_uncached=8.0, ssbd_2=3.0, full=2.0)), heard, {"fr": 61.5})
    assert found["speedup"] == pytest.approx(3.0)
    assert found["speedup_uncached"] == pytest.approx(4.0)
    assert found["speedup_published"] == pytest.approx(2.0)
    assert found["speedup_heard"] == pytest.approx(2.5)
    assert found["ne_ratio_display"] == found["final_equal_share"] == pytest.approx(1.0)
    assert found["acceptance_drafted"] == pytest.approx(0.8)
    assert found["acceptance_output"] == pytest.approx(0.6667)
    assert found["bleu_delta"] == found["bleu_delta_heard"] == pytest.approx(0.0)
    assert found["taken_back"] == found["taken_back_at_end"] == found["taken_back_heard"] == pytest.approx(0.25)
    assert (found["chrf_fr"], found["chrf_de"]) == (61.5, None)
    assert found["update_seconds_p95"] == pytest.approx(2.0)
    assert found["update_seconds_20_words"] is None


def test_a_figure_whose_way_was_not_run_is_none() -> None:
    without_plain = figures(rows(ALL, measured(ssbd_2=3.0, full=2.0)))
    assert without_plain["speedup"] is without_plain["final_equal_share"] is None
    assert without_plain["acceptance_drafted"] == pytest.approx(0.8)
    nothing = figures(rows(ALL, measured(plain=3.0)))
    assert tuple(nothing) == FIGURES
    assert set(nothing.values()) == {None}


def test_final_translations_are_compared_caption_by_caption() -> None:
    same, other = together([result(), result()], "fr"), together([result()], "fr")
    plain = replace(same, finals=("un deux trois quatre", "tout autre chose"))
    assert TranslationRow(way(FULL), same, plain).final_equal_share == 0.5
    assert TranslationRow(way(FULL), other, other).final_equal_share == 1


def test_a_difference_in_bleu_is_tested_against_chance() -> None:
    references = [text.references for text in (TEXT,) * 12]
    right, wrong = ["un deux trois quatre"] * 12, ["un deux trois autre chose"] * 12
    assert difference_by_chance(right, right, references, "fr") == ByChance(1, 1)
    found = difference_by_chance(right, wrong, references, "fr")
    assert max(found.bleu, found.chrf) < 0.05
    found = rows(ALL, measured(plain=6.0, full=2.0))
    texts = [TEXT]
    assert [row.by_chance for row in with_chance(found, texts, "fr")] == [None, ByChance(1, 1)]


def test_tables_and_records_have_a_line_for_every_way_that_was_run() -> None:
    found = rows(ALL, measured(plain=6.0, ssbd_2=3.0, full=2.0))
    for text in (table_of(QUALITY, found), table_of(WORK, found)):
        lines = text.splitlines()
        assert [line[:16].strip() for line in lines[2:]] == ["Plain re-transla", "SSBD, bias 0.2", "Earshot's defaul"]
    assert [record["speedup"] for record in records_of(COLUMNS, found)] == pytest.approx([1.0, 2.0, 3.0])
    assert [record["method"] for record in records_of(COLUMNS, found)] == [PLAIN, biased(0.2), FULL]


def test_ways_that_were_not_run_are_left_out() -> None:
    found = measure_all(ALL, {PLAIN: [result()], FULL: []}, "fr")
    assert list(found) == [PLAIN]
