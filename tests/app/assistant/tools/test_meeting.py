"""Questions about what was said: answered by quotes from captions and history, which are never obeyed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.assistant.completed_call import CompletedCall
from app.assistant.tools.meeting import best_about, sentences_of, terms_for
from app.history.store import HistoryStore
from engine.answer.tools.outcomes import Quote, ToolOutcome, words_of
from engine.events import Caption
from engine.turns import ToolCall
from tests.app.made_captions import caption

PATIENCE = 120_000  # milliseconds
SAID = (
    "Good morning, everyone. Let us begin.",
    "The deadline for the report is next Friday.",
    "Anna brings the cake. Nobody knows why.",
    "The budgets are late, and so is the deadline of Berlin.",
)
NOON = 1_700_000_000.0


def captions(texts: tuple[str, ...] = SAID) -> tuple[Caption, ...]:
    return tuple(caption(number, text, start=60.0 * number, final=True) for number, text in enumerate(texts, 1))


def ask(application: Application, qtbot: QtBot, tool: str, **arguments: str) -> CompletedCall:
    """Carry out a tool, and return the completed call as soon as it is there."""
    told: list[CompletedCall] = []
    application.toolbox.carry_out(ToolCall(1, 0, tool, "en", arguments), told.append)
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    return told[0]


def show(application: Application, texts: tuple[str, ...] = SAID) -> None:
    for each in captions(texts):
        application.session.captions.show(each)


def quoted(done: CompletedCall) -> list[str]:
    return [quote.text for quote in done.outcome.quotes]


def test_captions_are_cut_into_sentences_with_their_times() -> None:
    quotes = sentences_of(captions())
    assert [quote.text for quote in quotes] == [
        *("Good morning, everyone.", "Let us begin.", "The deadline for the report is next Friday."),
        *("Anna brings the cake.", "Nobody knows why.", "The budgets are late, and so is the deadline of Berlin."),
    ]
    assert quotes[0].seconds == 60
    assert 180 < quotes[4].seconds < 240


@pytest.mark.parametrize(
    ("topic", "found"),
    [
        ("the deadline", [SAID[1], SAID[3]]),
        ("deadlines", [SAID[1], SAID[3]]),
        ("the deadline of the report", [SAID[1]]),
        ("Anna's cake", ["Anna brings the cake."]),
        ("the budget", [SAID[3]]),
        ("bringing cakes", ["Anna brings the cake."]),
        ("beginning", ["Let us begin."]),
        ("holidays", []),
    ],
)
def test_what_is_asked_about_is_found_by_its_words(topic: str, found: list[str]) -> None:
    assert [quote.text for quote in best_about(terms_for(topic), sentences_of(captions()))] == found


def test_lines_of_the_present_captions_are_quoted_with_their_times(application: Application, qtbot: QtBot) -> None:
    assert ask(application, qtbot, "last_lines", count="2").outcome == ToolOutcome("nothing_said")
    show(application)
    assert quoted(ask(application, qtbot, "last_lines", count="2")) == ["Nobody knows why.", SAID[3]]
    before = ask(application, qtbot, "last_lines", count="1", skip="1", language="fr").outcome
    assert ([quote.text for quote in before.quotes], before.values) == (["Nobody knows why."], {"language": "fr"})
    assert ask(application, qtbot, "last_lines", count="1", skip="6").outcome == ToolOutcome("nothing_before")
    done = ask(application, qtbot, "said_about", topic="the deadline")
    assert words_of(done.outcome, "en") == (f"At 2:00: “{SAID[1]}”", f"At 4:00: “{SAID[3]}”")
    assert ask(application, qtbot, "when_about", topic="Friday").outcome.quotes == (Quote(SAID[1], 120.0),)
    assert quoted(ask(application, qtbot, "missed", seconds="30")) == [SAID[3]]
    assert len(quoted(ask(application, qtbot, "missed"))) == 6


def test_what_somebody_said_is_found_by_the_name_and_quoted_with_it(application: Application, qtbot: QtBot) -> None:
    model = application.session.captions
    show(application)
    model.name_speakers({each.id: "Ben Miller" for each in model.captions[:1]})
    done = ask(application, qtbot, "said_about", topic="Ben Miller")
    assert {quote.speaker for quote in done.outcome.quotes} == {"Ben Miller"}
    assert all(", Ben Miller: “" in text for text in words_of(done.outcome, "en"))


def test_where_the_captions_have_nothing_the_history_is_searched(application: Application, qtbot: QtBot) -> None:
    def keep(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en", began=NOON)
        for each in captions():
            store.put_caption(session, each)
        store.end(session, NOON + 300)

    application.archive.write(keep)
    show(application, ("Something else is said.",))
    done = ask(application, qtbot, "said_about", topic="the cake")
    (quote,) = done.outcome.quotes
    assert (quote.text, quote.day) == ("Anna brings the cake.", date.fromtimestamp(NOON))
    assert quote.session is not None
    nothing = ask(application, qtbot, "when_about", topic="holidays")
    assert nothing.outcome == ToolOutcome("said_nothing", {"topic": "holidays"})


def test_a_quote_leads_to_where_it_was_said(application: Application, qtbot: QtBot) -> None:
    show(application)
    application.actions.assistant_page.trigger()
    application.assistant_page.quote_chosen.emit(Quote(SAID[1], 120.0))
    view = application.captions_page.stage.captions
    assert application.actions.captions_page.isChecked()
    assert view.textCursor().selectedText().replace("\N{NO-BREAK SPACE}", " ") == SAID[1]
    application.assistant_page.quote_chosen.emit(Quote("Anna brings the cake.", 1.0, date(2023, 11, 14), 1))
    assert application.actions.history_page.isChecked()
    assert application.history_page.sessions.search == '"Anna brings the cake."'


def _keep_ana(store: HistoryStore) -> None:
    session = store.begin("captions", "", "Microphone", "starter", "en", began=NOON)
    for number, text in enumerate(("The deadline is near.", "I keep the deadline."), 1):
        store.put_caption(session, replace(caption(number, text, start=60.0 * number, final=True), speaker="Ana"))
    store.end(session, NOON + 300)


def test_only_the_lines_of_the_speaker_who_is_asked_for_are_quoted_where_there_are_any(
    application: Application, qtbot: QtBot
) -> None:
    said = (("Anna Kowalczyk", "The deadline is on Friday."), ("Ben", "I say the deadline is on Monday."))
    for number, (speaker, text) in enumerate(said, 1):
        application.session.captions.show(
            replace(caption(number, text, start=60.0 * number, final=True), speaker=speaker)
        )
    assert quoted(ask(application, qtbot, "said_about", topic="the deadline", who="anna")) == [said[0][1]]
    assert quoted(ask(application, qtbot, "said_about", topic="the deadline", who="Ben")) == [said[1][1]]
    others = ask(application, qtbot, "said_about", topic="the deadline", who="Chris")
    assert len(quoted(others)) == 2
    assert "name Chris" in words_of(others.outcome, "en")[0], "nobody is believed to have said what others said"
    application.archive.write(_keep_ana)
    earlier = ask(application, qtbot, "said_about", topic="the deadline", who="Ana")
    assert (earlier.outcome.kind, quoted(earlier)) == ("said", ["The deadline is near.", "I keep the deadline."])
    first, second = words_of(earlier.outcome, "en")
    assert "November" in first and second == "At 2:00, Ana: “I keep the deadline.”", "the day is named once"
    assert len(quoted(ask(application, qtbot, "said_about", topic="the deadline"))) == 2
