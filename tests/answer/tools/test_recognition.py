"""Requests and their near neighbours told apart: a table of phrasings, and what may happen to any of them."""

from collections import Counter

import pytest

from engine.answer.predictor import ChatTurn
from engine.answer.safety.answers import SafetyAnswers
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.outcomes import effect_of
from engine.answer.tools.recognition import FOLLOW_UP, LONGEST, recognise
from engine.answer.tools.table import LANGUAGES, TOOLS
from lab.bench.assistant import phrasings
from lab.recipes.assistant.dialogues import read_dialogues

ROWS = list(phrasings.phrasings(phrasings.REQUESTS))
REQUESTS = [row for row in ROWS if row[0] != "none"]

TAUGHT_TOO = {
    *("earshot_caption_mic", "earshot_stop_captions", "earshot_text_size", "earshot_export_window"),
    *("earshot_export_subtitles", "earshot_translate_off", "earshot_translate_languages", "talk_repeat", "talk_stop"),
    *("earshot_stored", "earshot_search_history", "earshot_delete_history"),
    *("talk_not_understood", "talk_time", "talk_date", "talk_alarm", "talk_timer", "talk_reminder", "talk_big_maths"),
    *(
        "earshot_hears_people",
        "earshot_cloud",
        "earshot_commands",
        "talk_hello",
        "talk_yes",
        "talk_okay",
        "talk_praise",
    ),
    *(
        "earshot_translate_start",
        "talk_abilities",
        "world_hours_in_day",
        "world_minutes_in_hour",
        "world_mile",
        "world_half_of_hundred",
    ),
}
"""Intents of the starter's dialogues that people may mean where they ask for what a tool does."""

EVERY = 10
"""Stride through the questions: it takes a few hundredths of a second to find what one means."""


named = phrasings.found_request


def test_every_phrasing_is_taken_for_what_it_is() -> None:
    wrong = [(text, tool, named(text)) for tool, language, text in ROWS if named(text) != (tool, language)]
    assert wrong == []
    assert phrasings.command_share() == 1


def test_the_table_has_every_tool_and_most_of_them_in_every_language() -> None:
    counts = Counter((tool, language) for tool, language, _ in REQUESTS)
    assert {tool for tool, _ in counts} == {*TOOLS, FOLLOW_UP}
    assert all(sum(language == each for _, each in counts) >= 18 for language in LANGUAGES)
    assert sum(tool == "none" for tool, _, _ in ROWS) >= 75
    assert len({text for _, _, text in ROWS}) == len(ROWS)


@pytest.mark.parametrize("change", [str.upper, str.lower, lambda text: f"  {text} …", lambda text: text.rstrip(".?! ")])
def test_neither_case_nor_marks_around_it_matter(change) -> None:  # type: ignore[no-untyped-def]
    assert [text for _, _, text in ROWS if named(change(text)) != named(text)] == []


def test_what_is_asked_of_is_found_with_its_arguments() -> None:
    def arguments(text: str) -> dict[str, str]:
        found = recognise(text)
        assert found is not None
        return dict(found.arguments)

    assert arguments("Translate 'Good night, Anna' into French") == {"text": "Good night, Anna", "language": "fr"}
    assert arguments("Translate into German, please") == {"language": "de"}
    assert arguments("Set a timer for two hours and five minutes") == {"seconds": "7500"}
    assert arguments("Stell einen Timer auf zweiundzwanzig Minuten") == {"seconds": "1320"}
    assert arguments("How many kilometres are 5 miles?") == {"number": "5", "unit": "miles", "target": "kilometres"}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("What did Anna say?", "Anna"), ("What has Ben Miller said in the meeting?", "Ben Miller"),
        ("Was hat Anna gesagt?", "Anna"), ("Qu'a dit Anna ?", "Anna"), ("Qu'est-ce que Paul a dit ?", "Paul"),
        ("¿Qué dijo Anna?", "Anna"),
    ],
)  # fmt: skip
def test_case_what_somebody_said_is_asked_without_a_topic(text: str, who: str) -> None:
    found = recognise(text)
    assert found is not None and (found.name, found.arguments) == ("said_about", {"topic": who, "who": who})


@pytest.mark.parametrize("text", ["What did the doctor say?", "What did you say?", "What did nobody say?"])
def test_case_no_name_is_asked_for_where_there_is_none(text: str) -> None:
    found = recognise(text)
    assert found is None or found.name != "said_about"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Translate the last sentence into French", {"count": "1", "language": "fr"}),
        ("Translate the last two sentences to German.", {"count": "2", "language": "de"}),
        ("Übersetze den letzten Satz ins Spanische", {"count": "1", "language": "es"}),
        ("Traduis la dernière phrase en anglais", {"count": "1", "language": "en"}),
        ("Traduce la última frase al alemán", {"count": "1", "language": "de"}),
    ],
)
def test_case_the_last_sentence_is_translated_and_not_its_name(text: str, asked: dict[str, str]) -> None:
    found = recognise(text)
    assert found is not None and (found.name, found.arguments) == ("last_lines", asked)
    quoted = recognise("Translate 'the last sentence' into French")
    assert quoted is not None and quoted.name == "translate_phrase"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the last sentence?", "And before that?"),
        ("Wiederhole den letzten Satz", "Und davor?"),
        ("Relis la dernière phrase", "Et avant ça ?"),
        ("Repite la última frase", "¿Y antes?"),
    ],
)
def test_case_the_sentence_before_the_last_is_asked_for_again_and_again(question: str, text: str) -> None:
    history = [ChatTurn(question, "…")]
    for skipped in ("1", "2"):
        call = call_in(text, history)
        assert call is not None and call.tool.name == "last_lines"
        assert call.arguments == {"count": "1", "skip": skipped}
        history.append(ChatTurn(text, "…"))
    assert call_in(text, [ChatTurn("What time is it?", "…")]) is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("qu est ce que j ai raté", "Qu'est-ce que j'ai raté ?"),
        ("quest ce que jai raté", "Qu'est-ce que j'ai raté ?"),
        ("exporte les sous titres", "Exporte les sous-titres."),
        ("whats the time", "What's the time?"),
        ("i cant read this its too small", "I can't read this, it's too small."),
        ("what s twelve percent of eighty", "What's twelve percent of eighty?"),
    ],
)
def test_apostrophes_and_hyphens_may_be_missing(text: str, same: str) -> None:
    found, meant = recognise(text), recognise(same)
    assert found is not None
    assert meant is not None
    assert (found.name, found.arguments) == (meant.name, meant.arguments)


@pytest.mark.parametrize("text", ["", "?", "…", "please", "x" * (LONGEST + 1), f"What is {'1+' * LONGEST}1?"])
def test_nothing_and_far_too_much_ask_for_nothing(text: str) -> None:
    assert recognise(text) is None


@pytest.mark.parametrize(
    "text", ["Set a timer for 0 minutes", "Set a timer for 900 hours", "5 miles in kilograms", "Set a timer for lunch"]
)
def test_what_makes_no_sense_is_not_taken_for_a_request(text: str) -> None:
    assert recognise(text) is None


def test_no_request_speaks_of_danger() -> None:
    assert [text for _, _, text in ROWS if SafetyAnswers().to(text)] == []


def test_of_ten_thousand_questions_about_other_things_none_is_taken_for_a_request() -> None:
    dialogues = read_dialogues()
    others = [
        question
        for intent in (*dialogues.intents, *dialogues.rows)
        if intent.name not in TAUGHT_TOO
        for question in intent.every_way
    ]
    assert len(others) > 10_000
    assert [question for question in others if recognise(question)] == []


def test_no_question_that_was_held_out_of_learning_is_taken_for_a_request_by_its_meaning() -> None:
    dialogues = read_dialogues()
    held_out = [question for intent in (*dialogues.intents, *dialogues.rows) for question in intent.held_out]
    asked = [question for question in held_out if not recognise(question)][::EVERY]
    assert len(asked) > 200
    assert [(question, named(question)) for question in asked if named(question)[0] != "none"] == []


def test_every_tool_has_words_for_what_it_is_about_to_do_in_every_language_if_it_takes_its_time() -> None:
    from engine.answer.tools.table import Call

    waits = [tool for tool in TOOLS.values() if tool.where == "app" or tool.name == "translate_phrase"]
    assert all(effect_of(Call(tool, language)) for tool in waits for language in LANGUAGES)


def test_a_follow_up_is_of_the_last_words_that_were_translated_or_of_the_last_answer() -> None:
    asked = ChatTurn("Translate 'good night' into French", "bonne nuit")
    again = ChatTurn("and in German?", "gute Nacht")
    for history in ((asked,), (asked, again)):
        call = call_in("and in Spanish?", history)
        assert call is not None
        assert (call.tool.name, dict(call.arguments)) == (
            "translate_phrase",
            {"text": "good night", "language": "es"},
        )
    call = call_in("And in German?", (ChatTurn("Who are you?", "I am Earshot."),))
    assert call is not None
    assert dict(call.arguments) == {"text": "I am Earshot.", "language": "de"}
    call = call_in("And in French?", (ChatTurn("Translate the captions into German", "Done."),))
    assert call is not None
    assert (call.tool.name, dict(call.arguments)) == ("translate_captions", {"language": "fr"})
    assert call_in("And in German?", ()) is None


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("Start the captions", "phrasing"),
        ("Set a timer for five minutes, please", "phrasing"),
        ("Translate 'good night' into French", "phrasing"),
        ("Set a timer for five minutes", "number"),
        ("Weck mich um 7", "number"),
        ("What is 2 + 2", "number"),
        ("What is 2 +", "words"),
        ("Remind me in five minutes to call mum", "words"),
        ("What did she say about the deadline", "words"),
    ],
)
def test_what_a_request_ends_in_is_known(text: str, ending: str) -> None:
    found = recognise(text)
    assert found is not None
    assert found.ending == ending


def test_a_word_misheard_before_a_timer_is_no_name_of_it() -> None:
    found = recognise("Start at timer for two hours")
    assert found is not None
    assert (found.name, found.arguments) == ("timer", {"seconds": "7200"})


@pytest.mark.parametrize(
    ("before", "text", "arguments"),
    [
        ("What time is it?", "and in Tokyo?", {"place": "Tokyo"}),
        ("What's the time in London?", "what about New York", {"place": "New York"}),
        ("What is 5 miles in km?", "and in feet?", {"number": "5", "unit": "miles", "target": "feet"}),
        ("What's the date today?", "and tomorrow?", {"when": "tomorrow"}),
        ("What did they say about the budget?", "and about the deadline?", {"topic": "the deadline"}),
        ("Set a timer for 5 minutes", "and another one for ten minutes", {"seconds": "600"}),
        ("What is 12 times 12?", "and divided by 6", {"expression": "(12 times 12) divided by 6"}),
        ("What is 12 times 12?", "minus 4", {"expression": "(12 times 12) minus 4"}),
        ("Make the text bigger", "a bit more", {}),
        ("Make the text bigger", "again", {}),
        ("Wie spät ist es in Tokio?", "und in London?", {"place": "London"}),
        ("How do you say thanks in French?", "no, in German", {"text": "thanks", "language": "de"}),
        ("Translate into French", "no, German", {"language": "de"}),
        ("What did she say about the budget?", "sorry, about the deadline", {"topic": "the deadline"}),
        ("Set a timer for five minutes", "no, ten minutes", {"seconds": "600", "instead": "1"}),
        ("Set a timer for five minutes", "I meant ten minutes.", {"seconds": "600", "instead": "1"}),
        ("Stell einen Timer auf fünf Minuten", "Nein, zehn Minuten", {"seconds": "600", "instead": "1"}),
        ("Mets un minuteur de cinq minutes", "Non, dix minutes", {"seconds": "600", "instead": "1"}),
        ("Pon un temporizador de cinco minutos", "No, diez minutos", {"seconds": "600", "instead": "1"}),
    ],
)
def test_what_goes_on_asks_for_the_same_of_something_else(before: str, text: str, arguments: dict[str, str]) -> None:
    asked, call = recognise(before), call_in(text, (ChatTurn(before, "Done."),))
    assert asked is not None
    assert call is not None
    assert (call.tool.name, call.arguments) == (asked.name, arguments)


def test_what_goes_on_goes_on_with_what_went_on() -> None:
    history = (ChatTurn("What is 12 times 12?", "That is 144."), ChatTurn("divided by 6", "That is 24."))
    call = call_in("and plus 1", history)
    assert call is not None
    assert call.arguments == {"expression": "((12 times 12) divided by 6) plus 1"}
    moved = (ChatTurn("What time is it in Rome?", "It is noon."), ChatTurn("and in Tokyo?", "It is late."))
    call = call_in("and in London?", moved)
    assert call is not None
    assert call.arguments == {"place": "London"}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("What time is it in London?", "and lunch?"),
        ("What is 5 miles in km?", "and in pounds?"),
        ("Tell me a joke.", "again"),
        ("Tell me a joke.", "and in Tokyo?"),
        ("Start captions", "and in the kitchen?"),
        ("What did they say about the budget?", "And here is the second one."),
        ("What did they say about the budget?", "no thanks"),
        ("Translate into French", "no thanks"),
        ("Set a timer for five minutes", "no"),
    ],
)
def test_what_makes_no_sense_of_the_question_before_goes_on_with_nothing(before: str, text: str) -> None:
    assert call_in(text, (ChatTurn(before, "Done."),)) is None


def test_a_word_is_no_misspelling_of_one_that_is_two_letters_longer() -> None:
    call = call_in("bitte die Untertitel anhalten", ())
    assert call is not None
    assert call.tool.name == "stop_captions", "not taken for 'anschalten'"


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("what did Anna say about the deadline", "Anna"),
        ("Did Ben say anything about the deadline?", "Ben"),
        ("tell me what Anna Miller said about the deadline", "Anna Miller"),
        ("what did they say about the deadline", None),
    ],
)
def test_whose_words_are_wanted_is_part_of_a_search(said: str, who: str | None) -> None:
    found = recognise(said)
    assert found is not None and found.name == "said_about"
    assert (found.arguments["topic"], found.arguments.get("who")) == ("the deadline", who)
