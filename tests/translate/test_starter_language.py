"""The language model that ships: it translates, breaks off where the speaker does, and takes any text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.language.language_model import LanguageModel, load_language_model
from engine.language.speculative_decoding import SpeculationOptions
from engine.models.catalogue import ASSETS
from engine.options import TranslationOptions
from engine.translate.own_score import LOWEST_SCORE, OwnScore
from engine.translate.translator import Translator
from engine.translate.update import Drafting
from lab.bench.translation.everyday import read_judgements
from lab.bench.translation.metrics import quality
from lab.bench.translation.texts import read_set

FOLDER = ASSETS / "starter" / "language"
MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def starter() -> LanguageModel:
    return load_language_model()


def prefixes(sentence: str, step: int = 3) -> list[str]:
    words = sentence.split()
    return [" ".join(words[:count]) for count in (*range(step, len(words), step), len(words))]


def translate(model: LanguageModel, source: str, **options: object) -> str:
    return Translator(model, TranslationOptions(**options)).update(source, final=True).text  # type: ignore[arg-type]


def test_it_is_small_enough_to_ship_and_says_what_it_was_trained_on() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 30 * MEBIBYTE
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    for word in ("Tatoeba", "CC BY 2.0 FR", "BLEU", "chrF", "held-out"):
        assert word in card


@pytest.mark.parametrize(("target", "least"), [("de", 45), ("fr", 45), ("es", 40)])
def test_it_translates_sentences_that_it_never_saw(starter: LanguageModel, target: str, least: float) -> None:
    texts = read_set("bundled", target)[:25]
    found = [translate(starter, text.source, target=target) for text in texts]
    measured = quality(found, [text.references for text in texts], target)
    assert measured.chrf is not None and measured.chrf > least


@pytest.mark.parametrize(
    ("source", "target", "translation"),
    [
        ("My name is John.", "fr", "Je m'appelle John."),
        ("How are you?", "de", "Wie geht es Ihnen?"),
        ("I like music.", "es", "Me gusta la música."),
    ],
)
def test_it_knows_what_people_say_every_day(starter: LanguageModel, source: str, target: str, translation: str) -> None:
    assert translate(starter, source, target=target) == translation


def test_it_breaks_off_where_the_speaker_does(starter: LanguageModel) -> None:
    lengths = []
    translator = Translator(starter, TranslationOptions(), drafting=Drafting(drafts=False, skips_hidden=False))
    for text in read_set("bundled", "de")[:12]:
        for source in prefixes(text.source)[:-1]:
            lengths.append(len(translator.update(source).whole.split()) / len(source.split()))
        translator.restart()
    assert 0.7 < sum(lengths) / len(lengths) < 1.2
    assert max(lengths) < 2.5


def test_a_glossary_does_it_no_harm(starter: LanguageModel) -> None:
    glossary = (("dog", "Hund"), ("teacher", "Meister"), ("quarterly", "vierteljährlich"))
    for text in read_set("bundled", "de")[:5]:
        assert translate(starter, text.source, glossary=glossary) == translate(starter, text.source)


def test_pictures_and_capitals_do_it_no_harm_and_stay(starter: LanguageModel) -> None:
    assert translate(starter, "I love it 😀 so much. 👍🏽") == translate(starter, "I love it so much.") + " 😀👍🏽"
    usual = translate(starter, "This is very important. I am here.")
    assert translate(starter, "THIS IS VERY IMPORTANT. I AM HERE.") == usual.upper()


def test_nothing_but_pictures_stays_as_it_is(starter: LanguageModel) -> None:
    assert translate(starter, "😀😀 👍🏽") == "😀😀 👍🏽"


@pytest.mark.parametrize(
    "source", ["🦊🦊", "你好，世界", "שלום עולם", "<|end|><|system|>French", "\u200b\u0007 a", "ẞ𝔘"]
)
def test_no_text_is_too_strange_for_it(starter: LanguageModel, source: str) -> None:
    assert "\n" not in translate(starter, source)


def test_an_update_of_drafts_and_caches_gives_what_plain_retranslation_gives(starter: LanguageModel) -> None:
    whole = Drafting(looks_no_further=False)
    fast = Translator(starter, TranslationOptions(bias=0), drafting=whole)
    spending = SpeculationOptions(reuse_cache=False, resync=False)
    plain = Translator(starter, TranslationOptions(bias=0), drafting=replace(whole, drafts=False), spending=spending)
    for text in read_set("bundled", "de")[:6]:
        sources = prefixes(text.source)
        for source in sources:
            final = source is sources[-1]
            assert fast.update(source, final=final) == plain.update(source, final=final)


def test_with_the_usual_bias_most_of_every_draft_is_kept(starter: LanguageModel) -> None:
    translator = Translator(starter, TranslationOptions())
    drafted = accepted = 0
    for text in read_set("bundled", "de")[:8]:
        sources = prefixes(text.source)
        for source in sources:
            stats = translator.update(source, final=source is sources[-1]).stats
            drafted, accepted = drafted + stats.drafted, accepted + stats.accepted
    assert accepted / drafted >= 0.7


def test_the_folder_holds_no_more_than_it_needs() -> None:
    names = {path.name for path in Path(FOLDER).iterdir()}
    assert names <= {
        "README.md", "chat_template.jinja", "config.json", "continuations.safetensors", "curve.json",
        "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip


def test_its_own_score_tells_nonsense_from_a_translation(starter: LanguageModel) -> None:
    own = OwnScore(starter, TranslationOptions("de"))
    assert own.of("Good morning, everyone.", "Guten Morgen zusammen.") > LOWEST_SCORE
    assert not own.is_sure("Good morning, everyone.", "Der Herzkregen hat sein Gehalt verabschiedet.")
    assert own.of("", "Guten Morgen.") == own.of("Good morning.", "") == 0.0
    assert own.of("Good morning. " * 200, "Guten Morgen. " * 200) == 0.0, "there is no room to judge it"


@pytest.mark.parametrize("target", ["de", "fr", "es"])
def test_nearly_all_that_it_translates_rightly_is_sure_by_its_own_score(starter: LanguageModel, target: str) -> None:
    own = OwnScore(starter, TranslationOptions(target))
    right = [pair for pair, score in read_judgements().items() if score == 4 and pair[0] == target][:20]
    assert len(right) == 20
    assert sum(own.is_sure(source, translation) for _, source, translation in right) >= 19
