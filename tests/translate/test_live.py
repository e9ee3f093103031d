from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Caption, Translation, Word
from engine.language.language_model import LanguageModel
from engine.options import TranslationOptions
from engine.translate.live import LiveTranslation
from engine.translate.translator import Translator
from engine.translate.update import Drafting

Models = Callable[..., LanguageModel]
SENTENCE = "the weather is nice today and we are going out"


def spoken(text: str) -> tuple[Word, ...]:
    return tuple(Word(f" {word}", 0, 1) for word in text.split())


EVERY = Drafting(skips_hidden=False)


def caption(
    number: int, committed: str, revision: int = 0, pending: str = "", *, final: bool = False, language: str = "en"
) -> Caption:
    return Caption(number, revision, 0, 1, spoken(committed), spoken(pending), final, 1, 1, language)


def live(model: LanguageModel, **options: object) -> LiveTranslation:
    chosen = TranslationOptions(**{"target": "de", "bias": 0} | options)  # type: ignore[arg-type]
    return LiveTranslation(Translator(model, chosen, drafting=EVERY))


def translations(live: LiveTranslation, captions: Iterable[Caption]) -> list[Translation]:
    """Return the translations of captions that are all offered before anything is translated."""
    for each in captions:
        live.offer(each)
    return list(live.finish())


def revisions(found: list[Translation]) -> list[tuple[int, int]]:
    return [(each.id, each.revision) for each in found]


def test_of_the_revisions_that_wait_only_the_newest_is_translated(random_model: Models) -> None:
    captions = [caption(1, "the"), caption(1, "the weather", 1), caption(1, "the weather", 2, "is")]
    found = translations(live(random_model()), captions)
    assert revisions(found) == [(1, 2)]
    assert found[0].source == "the weather is"


def test_a_translation_says_what_it_is_of_and_what_it_cost(random_model: Models) -> None:
    options = TranslationOptions("de", display="mask-k", mask=1)
    translation = LiveTranslation(Translator(random_model(1, 6), options))
    (first,) = translations(translation, [caption(1, "the weather", 3, "is")])
    alone = Translator(random_model(1, 6), options).update("the weather is")
    assert (first.id, first.revision, first.language, first.final) == (1, 3, "de", False)
    assert (first.text, first.hidden) == (alone.text, alone.hidden)
    assert first.stats.output == alone.stats.output > 0


def test_final_captions_are_never_dropped_and_come_in_order_before_the_others(random_model: Models) -> None:
    captions = [
        caption(3, "we"),
        *(caption(number, "the weather", 4, final=True) for number in (1, 2, 3)),
        caption(4, "a"),
    ]
    found = translations(live(random_model()), captions)
    assert revisions(found) == [(1, 4), (2, 4), (3, 4), (4, 0)]
    assert [each.final for each in found] == [True, True, True, False]
    assert not any(each.hidden for each in found[:3])


def test_one_step_is_about_one_forward_so_that_hearing_may_come_between(random_model: Models) -> None:
    translation = live(random_model(1, 6))
    translation.offer(caption(1, SENTENCE, final=True))
    steps, shown = 0, None
    while shown is None:
        shown = translation.step()
        steps += 1
    assert steps == shown.stats.forwards > 1
    assert not translation.busy
    assert translation.step() is None


def test_a_final_caption_gives_up_its_earlier_translation(random_model: Models) -> None:
    model = random_model(1, 6)
    translation = live(model)
    translation.offer(caption(1, SENTENCE))
    assert translation.step() is None
    translation.offer(caption(1, f"{SENTENCE} again", 1, final=True))
    found = list(translation.finish())
    assert revisions(found) == [(1, 1)]
    assert found == translations(live(model), [caption(1, f"{SENTENCE} again", 1, final=True)])


def test_a_new_revision_waits_for_the_translation_that_is_being_made(random_model: Models) -> None:
    translation = live(random_model(1, 6))
    translation.offer(caption(1, SENTENCE))
    assert translation.step() is None
    translation.offer(caption(1, f"{SENTENCE} again", 1))
    assert revisions(list(translation.finish())) == [(1, 0), (1, 1)]


def test_captions_that_grow_at_once_each_have_their_turn_and_their_own_draft(random_model: Models) -> None:
    model = random_model(1, 6)
    translation = live(model)
    found = translations(
        translation, [caption(1, "the weather"), caption(2, "", 0, "we are"), caption(1, "the weather is", 1)]
    )
    assert revisions(found) == [(1, 1), (2, 0)]
    found = translations(translation, [caption(2, "", 1, "we are going"), caption(1, "the weather is nice", 2)])
    assert revisions(found) == [(2, 1), (1, 2)]
    alone = Translator(model, translation.options, drafting=EVERY)
    alone.update("we are")
    assert found[0].stats.drafted == alone.update("we are going").stats.drafted > 0


def test_a_caption_that_loses_its_words_loses_its_translation(random_model: Models) -> None:
    translation = live(random_model(1, 6), display="mask-k", mask=0)
    (shown,) = translations(translation, [caption(2, "", 0, "we are going")])
    (gone,) = translations(translation, [caption(2, "", 1)])
    assert shown.text
    assert (gone.revision, gone.text, gone.hidden) == (1, "", "")


def test_nothing_is_shown_where_nothing_new_was_said(random_model: Models) -> None:
    translation = live(random_model(1, 6))
    assert len(translations(translation, [caption(1, "the weather")])) == 1
    assert translations(translation, [caption(1, "The weather,", 1)]) == []
    assert len(translations(translation, [caption(1, "The weather.", 2, final=True)])) == 1


def test_a_revision_that_comes_after_the_final_one_is_ignored(random_model: Models) -> None:
    translation = live(random_model())
    translations(translation, [caption(1, "the weather", 1, final=True)])
    assert translations(translation, [caption(1, "the", 0), caption(1, "the weather", 2, final=True)]) == []


def test_in_stable_mode_only_committed_words_are_translated(random_model: Models) -> None:
    translation = live(random_model(1, 6), stable=True)
    (found,) = translations(translation, [caption(1, "the weather", 0, "is nice")])
    assert found.source == "the weather"


def test_captions_in_the_target_language_are_passed_on_as_they_are(random_model: Models) -> None:
    translation = live(random_model(), target="de")
    found = translations(translation, [caption(1, "das Wetter", 0, "ist", language="de")])
    found += translations(translation, [caption(1, "das Wetter ist schön", 1, final=True, language="de-AT")])
    assert [(each.text, each.hidden, each.final, each.stats.forwards) for each in found] == [
        ("das Wetter ist", "", False, 0),
        ("das Wetter ist schön", "", True, 0),
    ]
    assert not translation.incidents


def test_captions_in_a_language_the_model_does_not_know_have_no_translation_and_people_are_told_once(
    random_model: Models,
) -> None:
    translation = live(random_model())
    captions = [
        caption(1, "il fait beau", final=True, language="fr"),
        caption(2, "il", language="fr"),
        caption(3, "the"),
    ]
    assert revisions(translations(translation, captions)) == [(3, 0)]
    assert [incident.message for incident in translation.incidents] == [
        "The translation model translates from en (English) only: captions in French stay as they are."
    ]


def test_people_are_told_which_terms_the_model_has_no_room_for(random_model: Models) -> None:
    glossary = tuple((f"term{number}", f"Begriff{number}") for number in range(50))
    (incident,) = live(random_model(earshot={"context_tokens": 2000}), glossary=glossary).incidents
    assert incident.message.startswith("The glossary is too long for the translation model; left out: term")
    assert incident.message.endswith("term48, term49.")


def test_people_are_told_that_a_model_uses_no_glossary(random_model: Models) -> None:
    (incident,) = live(random_model(), glossary=(("dog", "Dackel"), ("cat", "Kater"))).incidents
    assert incident.message == "The translation model uses no glossary; left out: dog, cat."


def test_a_translation_that_is_closed_has_nothing_left_to_do(random_model: Models) -> None:
    translation = live(random_model(1, 6))
    translation.offer(caption(1, SENTENCE))
    translation.step()
    translation.offer(caption(2, SENTENCE, final=True))
    translation.close()
    assert not translation.busy
    assert list(translation.finish()) == []


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 5)), max_size=6), st.booleans())
def test_every_final_caption_is_translated_once_however_steps_and_captions_alternate(
    random_model: Models, plan: list[tuple[int, int]], stable: bool
) -> None:
    """`plan` holds, for each caption, how many revisions it has, and how many steps are taken after each."""
    translation = live(random_model(1, 5), stable=stable, bias=0.2)
    found: list[Translation] = []
    for number, (growth, steps) in enumerate(plan):
        words = SENTENCE.split()
        for revision in range(growth):
            translation.offer(caption(number, " ".join(words[: revision + 1]), revision, final=revision == growth - 1))
            found += filter(None, (translation.step() for _ in range(steps)))
    found += translation.finish()
    assert [each.id for each in found if each.final] == list(range(len(plan)))
    for number, (growth, _) in enumerate(plan):
        own = [each for each in found if each.id == number]
        assert [each.revision for each in own] == sorted({each.revision for each in own})
        assert own[-1].final
        assert own[-1].revision == growth - 1


def test_a_finished_translation_that_is_judged_wrong_is_empty_and_an_open_one_is_not_judged(
    random_model: Models,
) -> None:
    judged: list[str] = []

    def is_sure(source: str, translation: str) -> bool:
        judged.append(source)
        return False

    unrepaired = replace(EVERY, repairs=False)  # what is no language would be given back as it was said
    translation = LiveTranslation(Translator(random_model(), TranslationOptions("de"), drafting=unrepaired), is_sure)
    translations(translation, [caption(1, "the weather is nice today and")])
    assert judged == []
    (final,) = translations(translation, [caption(1, "the weather is nice today", 1, final=True)])
    assert (final.text, final.final) == ("", True)
    assert judged == ["the weather is nice today"]


def test_a_translation_that_was_shown_and_stays_is_not_judged(random_model: Models) -> None:
    stays = TranslationOptions("de", stable=True, display="mask-k", mask=0)
    unrepaired = replace(EVERY, repairs=False)
    translation = LiveTranslation(Translator(random_model(), stays, drafting=unrepaired), lambda source, text: False)
    shown = translations(translation, [caption(1, "the weather is nice today and")])
    (final,) = translations(translation, [caption(1, "the weather is nice today and warm", 1, final=True)])
    assert shown[-1].text
    assert final.text.startswith(shown[-1].text)
