"""Timers as they are asked for: when they ring, which one is meant, and how they are told of."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from engine.answer.predictor import ChatTurn
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.answer.tools.recognition import recognise
from engine.answer.tools.table import LANGUAGES
from engine.answer.tools.timers import cancelled, seconds_of, timer_over, timer_set, timers_left
from engine.turns import Language

NOW = datetime(2026, 3, 1, 9, 0)
AFTERNOON = datetime(2026, 11, 28, 14, 15)
"""A Saturday."""


@dataclass(frozen=True)
class Running:
    """A timer that runs."""

    seconds: float
    due: float
    label: str = ""


def rings(text: str) -> str:
    """Return when a timer that is asked for at 14:15 rings, and its label."""
    asked = recognise(text)
    assert asked is not None and asked.name == "timer", text
    due = AFTERNOON + timedelta(seconds=seconds_of(asked.arguments, asked.language, AFTERNOON))
    shown = f"{due:%H:%M:%S}".removesuffix(":00")
    days = (due.date() - AFTERNOON.date()).days
    return " ".join(filter(None, (shown, f"+{days}" if days else "", asked.arguments.get("label", ""))))


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("set an alarm for 10 minutes", "14:25"), ("set my alarm for 15 minutes", "14:30"),
        ("set an alarm for 1 hour", "15:15"), ("set an alarm for half an hour", "14:45"),
        ("set an alarm for 3 days", "14:15 +3"), ("set a timer for two weeks", "14:15 +14"),
        ("set a timer for two and a half minutes", "14:17:30"), ("wake me up in a minute and a half", "14:16:30"),
        ("set a timer for three and a half hours", "17:45"), ("set a timer for 1h30", "15:45"),
        ("set an alarm for 90s", "14:16:30"), ("5 minutes", "14:20"), ("alarm in 10 minutes", "14:25"),
        ("set an alarm for 8 in the morning", "08:00 +1"), ("set an alarm for 8", "20:00"),
        ("wake me up at 6:30 tomorrow", "06:30 +1"), ("wake me tomorrow at half past six", "06:30 +1"),
        ("set an alarm for 07:00", "07:00 +1"), ("remind me at 09:05", "09:05 +1"), ("wake me at 9:05", "21:05"),
        ("set an alarm for twenty to nine", "20:40"), ("remind me at 10 to 9 to call Anna", "20:50 call Anna"),
        ("set an alarm for 8 tomorrow evening", "20:00 +1"), ("set a 7 am alarm", "07:00 +1"),
        ("set an alarm for Monday at 8", "08:00 +2"), ("remind me tomorrow at 3 to call Anna", "15:00 +1 call Anna"),
        ("remind me to call Anna tomorrow at noon", "12:00 +1 call Anna"),
        ("remind me to feed the cat at 8 tonight", "20:00 feed the cat"), ("set an alarm for noon", "12:00 +1"),
        ("set a timer for the pizza for 12 minutes", "14:27 pizza"),
        ("stell einen Wecker auf 10 Minuten", "14:25"), ("Timer auf zweieinhalb Minuten", "14:17:30"),
        ("stelle einen Timer auf anderthalb Stunden", "15:45"), ("stelle einen Wecker auf drei Tage", "14:15 +3"),
        ("stell einen Wecker auf 8 Uhr morgens", "08:00 +1"), ("weck mich morgen um 6:30", "06:30 +1"),
        ("weck mich morgen früh um halb sieben", "06:30 +1"), ("erinnere mich um 09:05", "09:05 +1"),
        ("stell einen Wecker auf 8 Uhr dreißig", "08:30 +1"), ("weck mich heute Abend um 9", "21:00"),
        ("stell einen Pizza-Timer auf 12 Minuten", "14:27 Pizza"),
        ("erinnere mich morgen um 9 an die Milch", "09:00 +1 Milch"), ("5 Minuten", "14:20"),
        ("erinnere mich in einer Stunde ans Essen", "15:15 Essen"),
        ("erinnere mich in 10 Minuten daran, Anna anzurufen", "14:25 Anna anzurufen"),
        ("mets une alarme pour 10 minutes", "14:25"), ("mets un minuteur de deux minutes et demie", "14:17:30"),
        ("mets un minuteur d'une heure et demie", "15:45"), ("mets une alarme pour trois jours", "14:15 +3"),
        ("mets une alarme à 8 heures du matin", "08:00 +1"), ("réveille-moi demain à 6h30", "06:30 +1"),
        ("réveille-moi demain à sept heures moins dix", "06:50 +1"), ("mets une alarme à 09:05", "09:05 +1"),
        ("rappelle-moi à 8 heures du soir d'appeler Anna", "20:00 appeler Anna"),
        ("mets un minuteur pâtes de 10 minutes", "14:25 pâtes"), ("5 minutes", "14:20"),
        ("pon una alarma de 10 minutos", "14:25"), ("pon una alarma dentro de 20 minutos", "14:35"),
        ("pon un temporizador de dos minutos y medio", "14:17:30"),
        ("pon un temporizador de hora y media", "15:45"), ("pon una alarma de tres días", "14:15 +3"),
        ("pon una alarma a las 8 de la mañana", "08:00 +1"), ("despiértame mañana a las 6:30", "06:30 +1"),
        ("despiértame mañana por la mañana a las siete y veinte", "07:20 +1"),
        ("pon una alarma a las 09:05", "09:05 +1"), ("avísame a las ocho y cuarto de la tarde", "20:15"),
        ("pon un temporizador para la pizza de 12 minutos", "14:27 pizza"), ("5 minutos", "14:20"),
    ],
)  # fmt: skip
def test_case_an_alarm_rings_when_anyone_expects_it(text: str, when: str) -> None:
    assert rings(text) == when


@pytest.mark.parametrize("text", ["a second", "wait a minute", "set a timer for 60 days", "set an alarm for 25:00"])
def test_what_is_no_time_sets_no_timer(text: str) -> None:
    asked = recognise(text)
    assert asked is None or asked.name != "timer"


PIZZA, EGGS, LONG = Running(720, 720, "pizza"), Running(300, 300, "the eggs"), Running(7200, 7200)
ALL = (EGGS, PIZZA, LONG)


@pytest.mark.parametrize(
    ("text", "gone", "kind"),
    [
        ("cancel the pizza timer", (PIZZA,), "timer_cancelled_named"), ("cancel the 2 hour timer", (LONG,), ""),
        ("stop the timer for eggs", (EGGS,), ""), ("cancel the timer", (), "which_timer"),
        ("cancel both timers", ALL, "timers_cancelled"), ("cancel all my timers", ALL, "timers_cancelled"),
        ("cancel the tea timer", (), "no_such_timer"), ("delete the timer called pizza", (PIZZA,), ""),
        ("lösche den Pizza-Timer", (PIZZA,), ""), ("lösche den Pizzatimer", (PIZZA,), ""),
        ("brich den 2-Stunden-Timer ab", (LONG,), ""), ("lösche alle Timer", ALL, ""),
        ("lösche den Timer", (), "which_timer"),
        ("annule le minuteur pizza", (PIZZA,), ""), ("annule le minuteur de 2 heures", (LONG,), ""),
        ("annule tous les minuteurs", ALL, ""), ("annule le minuteur", (), "which_timer"),
        ("cancela el temporizador de la pizza", (PIZZA,), ""), ("cancela el temporizador de 2 horas", (LONG,), ""),
        ("cancela todos los temporizadores", ALL, ""), ("cancela el temporizador", (), "which_timer"),
    ],
)  # fmt: skip
def test_case_a_timer_is_cancelled_by_its_name_or_its_length(text: str, gone: tuple[Running, ...], kind: str) -> None:
    asked = recognise(text)
    assert asked is not None and asked.name == "cancel_timer"
    meant, outcome = cancelled(ALL, asked.arguments, 0.0)
    assert meant == gone
    assert kind in ("", outcome.kind)
    assert words_of(outcome, asked.language)


def test_a_timer_is_cancelled_by_the_time_at_which_it_rings() -> None:
    alarm = Running(600, AFTERNOON.replace(hour=19, minute=0).timestamp())
    for text in ("cancel the 7 pm alarm", "cancel the 7 alarm", "cancel the alarm for 7 pm"):
        asked = recognise(text)
        assert asked is not None
        assert cancelled((PIZZA, alarm), asked.arguments, 0.0)[0] == (alarm,), text


@pytest.mark.parametrize(
    ("asked", "answer", "arguments", "language"),
    [
        ("cancel the timer", "the pizza one", {"label": "pizza"}, "en"),
        ("cancel the timer", "5 minutes", {"seconds": "300"}, "en"),
        ("cancel the timer", "both", {"all": "1"}, "en"),
        ("lösche den Timer", "den Pizza-Timer", {"label": "Pizza"}, "de"),
        ("annule le minuteur", "celui de la pizza", {"label": "pizza"}, "fr"),
        ("cancela el temporizador", "el de la pizza", {"label": "pizza"}, "es"),
    ],
)
def test_case_which_timer_is_asked_and_the_answer_is_understood(
    asked: str, answer: str, arguments: dict[str, str], language: Language
) -> None:
    question = words_of(cancelled(ALL, {}, 0.0)[1], language)
    call = call_in(answer, [ChatTurn(asked, " ".join(question))])
    assert call is not None and call.tool.name == "cancel_timer" and call.arguments == arguments
    told = call_in(answer, [ChatTurn(asked, "The timer is cancelled.")])
    assert told is None or told.tool.name != "cancel_timer"


@pytest.mark.parametrize(
    ("at", "hours"), [("10:00", 1), ("09:00", 24), ("08:00", 23), ("08:00?", 11), ("10:00?", 1), ("12:30?", 3.5)]
)
def test_it_rings_when_that_time_comes_next(at: str, hours: float) -> None:
    assert seconds_of({"at": at}, "en", NOW) == hours * 3600
    assert seconds_of({"seconds": "90"}, "en", NOW) == 90


def test_an_alarm_is_told_with_its_time_of_day() -> None:
    seconds, outcome = timer_set({"at": "08:00", "day": "tomorrow"}, "en", AFTERNOON)
    assert seconds == 17.75 * 3600
    assert words_of(outcome, "en") == ("The alarm is set for 8:00 am, in 17 hours and 45 minutes.",)


def test_every_language_tells_of_timers_with_and_without_names() -> None:
    for language in LANGUAGES:
        for outcome in (
            timer_set({"seconds": "60", "label": "tea"}, language, NOW)[1],
            timer_set({"at": "10:01", "label": "tea"}, language, NOW)[1],
            timer_over(60, "tea"),
            timers_left([Running(60, 60)], 0.0),
            timers_left([Running(60, 60, "tea")], 0.0),
            timers_left([Running(60, 60, "tea"), Running(70, 70)], 0.0, "tea"),
        ):
            told = " ".join(words_of(outcome, language))
            assert re.search(r"\b1\b", told)
            assert ("tea" in told.lower()) == ("label" in outcome.values)
    assert words_of(timers_left([Running(60, 60, "tea"), Running(90, 90)], 0.0), "de") == (
        "Diese Timer laufen: 1 Minute (tea), 1 Minute und 30 Sekunden.",
    )
    later = [Running(60, 7322), Running(60, 90)]
    assert words_of(timers_left(later, 0.0), "en") == (
        "These timers are running: 1 minute and 30 seconds, 2 hours and 2 minutes.",
    )
    assert words_of(timers_left([], 0.0), "en") == ("No timer is running.",)
    assert cancelled((), {}, 0.0) == ((), ToolOutcome("no_timer"))
