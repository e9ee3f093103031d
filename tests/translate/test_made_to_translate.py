"""Models that were made to translate: the same live translation on top of them, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ModelError, OptionError
from engine.language.chat_tokenizer import Message
from engine.language.language_model import load_language_model
from engine.language.marian.model import MarianModel
from engine.language.speculative_decoding import SpeculativeSession
from engine.options import TranslationOptions
from engine.translate.loading import load_translation_model
from engine.translate.source import first_sentence
from engine.translate.translator import Translator
from engine.translate.update import Drafting
from tests.marian_models import Sizes, write_firefox
from tests.plain_decoding import result_of
from tests.translate.test_as_they_come import LINES, faults

PLAIN = Drafting(drafts=False, biases_hidden=True, ending="biased", skips_hidden=False, repairs=False)


@pytest.fixture(scope="module")
def portuguese() -> MarianModel:
    model = load_translation_model("starter-en-pt")
    assert isinstance(model, MarianModel)
    return model


@pytest.fixture(params=[Sizes(), Sizes(recurrent=False)], ids=["ssru", "attention"])
def tiny(tmp_path: Path, request: pytest.FixtureRequest) -> MarianModel:
    write_firefox(tmp_path, request.param)
    return MarianModel("tiny", tmp_path)


def grown(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)]


def test_without_a_bias_a_draft_changes_no_revision(tiny: MarianModel) -> None:
    options = TranslationOptions("de", bias=0.0, display="mask-k", mask=0)
    plain, drafting = (
        Translator(tiny, options, drafting=replace(PLAIN, drafts=drafts), context_sentences=0)
        for drafts in (False, True)
    )
    for source in grown("the cat sat on the mat with a hat and the train leaves"):
        assert drafting.update(source).whole == plain.update(source).whole


def test_without_a_bias_portuguese_is_the_same_with_drafts_and_takes_fewer_forwards(portuguese: MarianModel) -> None:
    options = TranslationOptions("pt", bias=0.0, display="mask-k", mask=0)
    plain, drafting = (
        Translator(portuguese, options, drafting=replace(PLAIN, drafts=drafts), context_sentences=0)
        for drafts in (False, True)
    )
    forwards = {False: 0, True: 0}
    for source in grown("The museum will stay closed until the end of the year because it has to be painted"):
        found = {drafts: translator.update(source) for drafts, translator in ((False, plain), (True, drafting))}
        assert found[True].whole == found[False].whole
        for drafts, translated in found.items():
            forwards[drafts] += translated.stats.forwards
    assert forwards[True] < 0.7 * forwards[False]


def test_the_model_tells_which_word_it_translates(portuguese: MarianModel) -> None:
    prompt = portuguese.chat([Message("user", "Why didn't you say it like that?")])
    session = SpeculativeSession(portuguese)
    found = result_of(session.steps(prompt, max_tokens=20, rated=True))
    assert portuguese.decode(found.tokens) == "Por que você não disse assim?"
    pieces = [portuguese.decode([token]) for token in found.tokens]
    told = {piece: chance.ahead for piece, chance in zip(pieces, found.chances, strict=False)}
    assert (told["Por"], told["você"], told["disse"], told["assim"], told["?"]) == (6, 4, 3, 1, 0)
    for draft in (found.tokens, (*found.tokens[:3], 5, 6)):
        drafted = result_of(session.steps(prompt, draft, max_tokens=20, rated=True))
        assert [chance.ahead for chance in drafted.chances] == [chance.ahead for chance in found.chances]


def test_no_part_of_a_word_is_shown(portuguese: MarianModel) -> None:
    """A word that is cut off where the last translation ended is not shown when it has grown."""
    translator = Translator(portuguese, TranslationOptions("pt"), context_sentences=0)
    heard = "Spice Islands or"
    for pending in ("Maluca.", "Malucas.", "Malucus has", "Malukas have the", "Malukas have the Indian"):
        found = translator.update(f"{heard} {pending}", settled=heard)
        assert not (found.text[-1:].isalpha() and found.hidden[:1].isalpha()), (found.text, found.hidden)


def test_a_sentence_begins_as_its_source_does(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt"), context_sentences=0)
    for source in grown("I have already done my part of it"):
        whole = translator.update(source).whole
        assert whole[:1].isupper() or not whole


@pytest.mark.parametrize(("language", "begins"), [("tr", "İ"), ("pt", "I")])
def test_the_capital_of_a_small_letter_is_that_of_its_language(
    portuguese: MarianModel, monkeypatch: pytest.MonkeyPatch, language: str, begins: str
) -> None:
    monkeypatch.setattr(portuguese, "targets", (language,))
    ready = Translator(portuguese, TranslationOptions(language), context_sentences=0)._ready("It is cold.")
    assert ready.restored("ilk").startswith(begins)


def test_a_sentence_in_parts_has_one_capital(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt"), context_sentences=0)
    source = "The old man who lived by the river told me " + "that the dog had seen a cat which had a hat and " * 24
    words = translator.update(f"{source}left", final=True).text.split()
    assert len(words) > 150 and not [word for word in words[1:] if word[:1].isupper()]


def test_each_sentence_is_translated_by_itself(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt"))
    one, other = "The museum is not open on Mondays.", "Please come back at 9:42 with Dr. Lee."
    alone = [translator.update(text, final=True).text for text in (one, other)]
    assert translator.update(f"{one} {other}", final=True).text == " ".join(alone)
    assert "não" in alone[0] and "9:42" in alone[1]


def test_sentences_end_where_captions_end_them() -> None:
    assert first_sentence("Yes. I know Dr. Lee. Do you?") == "Yes."
    assert first_sentence("I know Dr. Lee") == "I know Dr. Lee"


def test_candidates_are_searched_where_nobody_waits(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt", candidates=5))
    assert translator.update("What a mess!", final=True).text == "Que bagunça!"


def test_what_must_come_through_does_in_portuguese(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt"), context_sentences=0)
    wrong = {}
    for source, wanted in LINES:
        translation = translator.update(source, final=True).text
        if found := faults(translation, wanted):
            wrong[source] = (translation, found)
    assert not wrong


def test_a_glossary_is_left_out_and_other_languages_are_refused(portuguese: MarianModel) -> None:
    translator = Translator(portuguese, TranslationOptions("pt", glossary=(("release", "versão"),)))
    assert not translator.supports_glossary and translator.left_out == ("release",)
    with pytest.raises(OptionError, match="one of pt \\(Portuguese\\)"):
        Translator(portuguese, TranslationOptions("de"))
    with pytest.raises(OptionError, match="To get one that does: earshot models get firefox-en-it"):
        Translator(portuguese, TranslationOptions("it"))
    with pytest.raises(OptionError, match="Other models here translate into pt \\(Portuguese\\)"):
        Translator(portuguese, TranslationOptions("xx"))
    with pytest.raises(OptionError, match="one of en \\(English\\)"):
        Translator(portuguese, TranslationOptions("pt", source="fr"))


def test_as_an_assistant_it_is_refused_in_one_sentence(tmp_path: Path) -> None:
    write_firefox(tmp_path)
    with pytest.raises(ModelError, match="translates, and does not answer"):
        load_language_model(tmp_path)
