"""Results of sums, measures, dates and times, in the words of four languages."""

from datetime import date, datetime
from fractions import Fraction

import pytest

from engine.answer.tools.dates import read_date, read_duration, write_duration
from engine.answer.tools.engine_tools import engine_outcome
from engine.answer.tools.numbers import read_number, write_number
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.answer.tools.recognition import recognise
from engine.answer.tools.timers import timer_over, timer_set
from engine.turns import Language

NOW = datetime(2026, 11, 23, 14, 5)  # a Monday


def told(text: str) -> str:
    asked = recognise(text)
    assert asked is not None, text
    outcome = engine_outcome(asked.call, NOW)
    assert outcome is not None, text
    return " ".join(words_of(outcome, asked.language))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("2+2", "That is 4."),
        ("What is 12 percent of 80?", "That is 9.6."),
        ("what is twelve percent of eighty", "That is 9.6."),
        ("What is 3 + 4 * 5?", "That is 23."),
        ("What is (3 + 4) * 5?", "That is 35."),
        ("What is 2 to the power of 10?", "That is 1024."),
        ("What is -3 times -4?", "That is 12."),
        ("What is 10 divided by 4?", "That is 2.5."),
        ("What is 1 divided by 3?", "That is about 0.3333."),
        ("What is the square root of 144?", "That is 12."),
        ("What is the square root of 2?", "That is about 1.4142."),
        ("What is half of 50 plus 1?", "That is 26."),
        ("What is 1,000,000 times 3?", "That is 3,000,000."),
        ("What is one hundred and twenty-three minus twenty-three?", "That is 100."),
        ("What is three point five plus one?", "That is 4.5."),
        ("What is 0.1 + 0.2?", "That is 0.3."),
        ("subtract 5 from 12", "That is 7."),
        ("What is 7 divided by 0?", "That has no result that I could name."),
        ("What is 9 to the power of 99999?", "That has no result that I could name."),
        ("What is the square root of -4?", "That has no result that I could name."),
        ("Was ist 12 Prozent von 80?", "Das ist 9,6."),
        ("Was ist zwölftausend plus einhundertfünfzig?", "Das ist 12.150."),
        ("Combien font vingt et un plus quatre-vingt-dix-neuf ?", "Cela fait 120."),
        ("¿Cuánto es veintidós por dos coma cinco?", "Son 55."),
        ("How many kilometres are 5 miles?", "5 miles are about 8.05 kilometres."),
        ("How many metres is 1 kilometre?", "1 kilometre is 1000 metres."),
        ("Convert 20 degrees Celsius to Fahrenheit", "20 degrees Celsius are 68 degrees Fahrenheit."),
        ("What is 0 Celsius in kelvin?", "0 degrees Celsius are 273.15 kelvin."),
        ("Wie viele Minuten sind 2 Stunden?", "2 Stunden sind 120 Minuten."),
        ("What time is it?", "It is 2:05 pm."),
        ("Wie spät ist es?", "Es ist 14:05 Uhr."),
        ("What day is it today?", "Today is Monday, 23 November 2026."),
        ("What day is tomorrow?", "Tomorrow is Tuesday, 24 November 2026."),
        ("Welcher Tag war gestern?", "Gestern war Sonntag, der 22. November 2026."),
        ("Quel jour sommes-nous ?", "Nous sommes le lundi 23 novembre 2026."),
        ("What day of the week is 24 December 2026?", "24 December 2026 is a Thursday."),
        ("What day of the week was December 24th, 2020?", "24 December 2020 was a Thursday."),
        ("What day is 31 February?", "There is no such date."),
        ("How many days until Christmas?", "There are 32 days until 25 December 2026."),
        ("How many days until 24 November?", "It is only one day until 24 November 2026."),
        ("How many days until 3 March?", "There are 100 days until 3 March 2027."),
        ("a third of 120", "That is 40."),
        ("a tenth of 5", "That is 0.5."),
        ("150 plus 15%", "That is 172.5."),
        ("80 minus 25 percent", "That is 60."),
        ("take 15 percent off 80", "That is 68."),
        ("what percent of 80 is 20", "That is 25."),
        ("1.5 million divided by 3", "That is 500,000."),
        ("minus forty celsius in fahrenheit", "-40 degrees Celsius are -40 degrees Fahrenheit."),
        ("how many tablespoons in a cup", "1 US cup is 16 US tablespoons."),
        ("10 knots in km/h", "10 knots are 18.52 kilometres per hour."),
        ("1 hectare in acres", "1 hectare is about 2.47 acres."),
        ("1 UK pint in ml", "1 imperial pint is about 568.26 millilitres."),
        ("zieh 15 prozent von 80 ab", "Das ist 68."),
        ("hundertelf minus neunundneunzig", "Das ist 12."),
        ("zwei und zwanzig plus eins", "Das ist 23."),
        ("quatre vingt dix neuf plus un", "Cela fait 100."),
        ("soixante et onze plus un", "Cela fait 72."),
        ("enlève 15 pour cent de 80", "Cela fait 68."),
        ("el 20 por ciento de 45", "Son 9."),
        ("mil novecientos noventa y dos más ocho", "Son 2000."),
        ("What is three quarters of 80?", "That is 60."),
        ("double 35 plus 1", "That is 71."),
        ("How much is 3 and a half times 4?", "That is 14."),
        ("three and a half times four", "That is 14."),
        ("17 mod 5", "That is 2."),
        ("17 mod 0", "That has no result that I could name."),
        ("10 to the 6", "That is 1,000,000."),
        ("the average of 4, 8 and 12", "That is 8."),
        ("sum of 3 4 and 5", "That is 12."),
        ("20% tip on 85", "That is 17."),
        ("ein Viertel von 80", "Das ist 20."),
        ("le double de 35", "Cela fait 70."),
        ("convert 100 f to c", "100 degrees Fahrenheit are about 37.78 degrees Celsius."),
        ("5'10 in cm", "70 inches are 177.8 centimetres."),
        ("60 mph in kmh", "60 miles per hour are about 96.56 kilometres per hour."),
        ("Wie viel ist 3 Fuß in Zentimeter?", "3 Fuß sind 91,44 Zentimeter."),
        ("half of three squared", "That is 4.5."),
        ("What is minus two squared?", "That is -4."),
        ("2 to the power of minus 2", "That is 0.25."),
        ("125 metres in kilometres", "125 metres are 0.125 kilometres."),
        ("123456789 times 987654321", "That is about 1.219e+17."),
        ("999999999999999 plus 1", "That is 1e+15."),
        ("170 factorial times 170 factorial", "That is about 5.267e+613."),
        ("1000 to the power of 150.5", "That has no result that I could name."),
        ("What time will it be in 99999999 weeks?", "There is no such date."),
        ("How many days until 22 November 2026?", "22 November 2026 was 1 day ago."),
        ("Wie viele Tage bis zum 22. November 2026?", "Der 22. November 2026 war vor 1 Tag."),
        ("What time will it be in 3 hours?", "In 3 hours it will be 5:05 pm."),
        ("Wie spät ist es in drei Stunden?", "In 3 Stunden ist es 17:05 Uhr."),
        ("What month is it?", "Today is Monday, 23 November 2026."),
        ("What's the date on Friday?", "That is Friday, 27 November 2026."),
        ("What date is next Friday?", "That is Friday, 4 December 2026."),
        ("What date was last Friday?", "That is Friday, 20 November 2026."),
        ("What's the date on Monday?", "That is Monday, 30 November 2026."),
        ("What date is it in three months?", "That is Tuesday, 23 February 2027."),
        ("Welches Datum haben wir am Freitag?", "Das ist Freitag, der 27. November 2026."),
        ("Quelle est la date de vendredi prochain ?", "C'est le vendredi 27 novembre 2026."),
        ("¿Qué fecha es el viernes?", "Es viernes, 27 de noviembre de 2026."),
        ("How many days until Friday?", "There are 4 days until 27 November 2026."),
        ("When is Easter?", "28 March 2027 is a Sunday."),
        ("Wann ist Ostern?", "Der 28. März 2027 ist ein Sonntag."),
    ],
)
def test_the_answer_is_right(text: str, answer: str) -> None:
    assert told(text) == answer


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_numbers_up_to_a_thousand_are_read_as_they_are_said(language: Language) -> None:
    said: dict[str, dict[int, str]] = {
        "en": {0: "zero", 17: "seventeen", 21: "twenty-one", 80: "eighty", 342: "three hundred and forty-two"},
        "de": {0: "null", 17: "siebzehn", 21: "einundzwanzig", 80: "achtzig", 342: "dreihundertzweiundvierzig"},
        "fr": {0: "zéro", 17: "dix-sept", 21: "vingt et un", 80: "quatre-vingts", 342: "trois cent quarante-deux"},
        "es": {0: "cero", 17: "diecisiete", 21: "veintiuno", 80: "ochenta", 342: "trescientos cuarenta y dos"},
    }
    assert {value: read_number(text, language) for value, text in said[language].items()} == {
        value: Fraction(value) for value in said[language]
    }


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_what_is_written_of_a_number_is_read_as_the_same(language: Language) -> None:
    for value in (Fraction(0), Fraction(-7, 2), Fraction(1234), Fraction(12), Fraction(9, 8), Fraction(1234567, 100)):
        assert read_number(write_number(value, language).replace("\N{NO-BREAK SPACE}", ""), language) == value


@pytest.mark.parametrize(
    ("text", "language", "seconds"),
    [
        ("ten minutes", "en", 600),
        ("two and a half minutes", "en", 150),
        ("a minute and a half", "en", 90),
        ("three and a half hours", "en", 12600),
        ("half an hour", "en", 1800),
        ("half a minute", "en", 30),
        ("quarter of an hour", "en", 900),
        ("a quarter of an hour", "en", 900),
        ("three quarters of an hour", "en", 2700),
        ("1h30", "en", 5400),
        ("1h 30m", "en", 5400),
        ("90s", "en", 90),
        ("2m30s", "en", 150),
        ("1.5 hours", "en", 5400),
        ("3 days", "en", 259200),
        ("two weeks", "en", 1209600),
        ("an hour and a quarter", "en", 4500),
        ("1 hour 30", "en", 5400),
        ("one hour, two minutes and three seconds", "en", 3723),
        ("minutes", "en", None),
        ("two dogs", "en", None),
        ("five apples", "en", None),
        ("two and a quarter hours", "en", 8100),
        ("an hour", "en", 3600),
        ("10min", "en", 600),
        ("ten", "en", None),
        ("zweieinhalb Minuten", "de", 150),
        ("anderthalb Stunden", "de", 5400),
        ("eineinhalb Stunden", "de", 5400),
        ("dreieinhalb Stunden", "de", 12600),
        ("eine halbe Stunde", "de", 1800),
        ("einer halben Stunde", "de", 1800),
        ("eine Viertelstunde", "de", 900),
        ("einer Dreiviertelstunde", "de", 2700),
        ("drei Tage", "de", 259200),
        ("2 Stunden 30", "de", 9000),
        ("zwei Stunden und zehn Minuten", "de", 7800),
        ("10 Min", "de", 600),
        ("2,5 Stunden", "de", 9000),
        ("eine Woche", "de", 604800),
        ("zwölfeinhalb Minuten", "de", 750),
        ("une heure et demie", "fr", 5400),
        ("deux heures et demie", "fr", 9000),
        ("deux minutes et demie", "fr", 150),
        ("une demi-heure", "fr", 1800),
        ("un quart d'heure", "fr", 900),
        ("trois quarts d'heure", "fr", 2700),
        ("2 heures 30", "fr", 9000),
        ("1h30", "fr", 5400),
        ("trois jours", "fr", 259200),
        ("une heure et quart", "fr", 4500),
        ("dix minutes", "fr", 600),
        ("dos horas y media", "es", 9000),
        ("una hora y media", "es", 5400),
        ("hora y media", "es", 5400),
        ("media hora", "es", 1800),
        ("un cuarto de hora", "es", 900),
        ("tres cuartos de hora", "es", 2700),
        ("dos minutos y medio", "es", 150),
        ("tres días", "es", 259200),
        ("un minuto y treinta segundos", "es", 90),
        ("hora y cuarto", "es", 4500),
    ],
)  # fmt: skip
def test_durations_are_read(text: str, language: Language, seconds: float | None) -> None:
    assert read_duration(text, language) == seconds


def test_feasts_move_with_easter() -> None:
    sundays = ((2024, 3, 31), (2025, 4, 20), (2026, 4, 5), (2038, 4, 25))
    assert [read_date("easter", "en", date(year, 1, 1)) for year, _, _ in sundays] == [date(*each) for each in sundays]
    assert read_date("good friday", "en", NOW.date()) == date(2027, 3, 26)


def test_a_month_away_is_never_a_day_that_the_month_lacks() -> None:
    assert read_date("in one month", "en", date(2027, 1, 31)) == date(2027, 2, 28)
    assert read_date("2 months ago", "en", date(2027, 1, 15)) == date(2026, 11, 15)
    assert read_date("in 99999 months", "en", NOW.date()) is None


def test_durations_are_written() -> None:
    assert write_duration(300, "en") == "5 minutes"
    assert write_duration(3661, "en") == "1 hour, 1 minute and 1 second"
    assert write_duration(5400, "de") == "1 Stunde und 30 Minuten"
    assert write_duration(0, "en") == "0 seconds"


@pytest.mark.parametrize(
    "text",
    ["seven eight plus one", "nineteen ninety nine plus one", "two three times four", "What is one hundred per cent?"],
)
def test_numbers_that_only_stand_side_by_side_are_not_added_up(text: str) -> None:
    assert recognise(text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("today plus 24 days", "That is Tuesday, 22 December 2026."),
        ("what day is tomorrow minus two weeks", "That is Sunday, 15 November 2026."),
        ("5 factorial", "That is 120."), ("what is the factorial of six", "That is 720."), ("5! + 1", "That is 121."),
        ("200 factorial", "That has no result that I could name."),
        ("easter 2027", "28 March 2027 is a Sunday."), ("when is easter 2027", "28 March 2027 is a Sunday."),
        ("christmas 2030", "25 December 2030 is a Wednesday."), ("easter 0000", "There is no such date."),
        ("25 degrees Celcius in Farenheit", "25 degrees Celsius are 77 degrees Fahrenheit."),
        ("heute plus 24 Tage", "Das ist Dienstag, der 22. Dezember 2026."), ("fünf Fakultät", "Das ist 120."),
        ("wann ist Ostern 2027", "Der 28. März 2027 ist ein Sonntag."),
        ("20 Grad Celcius in Fahrenheit", "20 Grad Celsius sind 68 Grad Fahrenheit."),
        ("aujourd'hui plus 24 jours", "C'est le mardi 22 décembre 2026."), ("factorielle de 5", "Cela fait 120."),
        ("pâques 2027", "Le 28 mars 2027 est un dimanche."),
        ("hoy más 24 días", "Es martes, 22 de diciembre de 2026."), ("factorial de 5", "Son 120."),
        ("navidad 2030", "El 25 de diciembre de 2030 es miércoles."),
        ("20 grados celcius en fahrenheit", "20 grados Celsius son 68 grados Fahrenheit."),
    ],
)  # fmt: skip
def test_case_sums_of_days_factorials_feasts_of_a_year_and_misspelt_units_are_known(text: str, told: str) -> None:
    asked = recognise(text)
    assert asked is not None
    outcome = engine_outcome(asked.call, datetime(2026, 11, 28, 14, 15))
    assert outcome is not None
    assert " ".join(words_of(outcome, asked.language)) == told


@pytest.mark.parametrize(
    ("clock", "answer"),
    [((1, 0), "Es la 1:00."), ((1, 59), "Es la 1:59."), ((11, 5), "Son las 11:05."), ((13, 0), "Son las 13:00.")],
)
def test_case_one_o_clock_is_singular_in_spanish(clock: tuple[int, int], answer: str) -> None:
    now = NOW.replace(hour=clock[0], minute=clock[1])
    asked = recognise("¿Qué hora es?")
    assert asked is not None
    outcome = engine_outcome(asked.call, now)
    assert outcome is not None and words_of(outcome, "es") == (answer,)
    _, alarm = timer_set({"at": f"{clock[0]:02}:{clock[1]:02}"}, "es", NOW.replace(hour=0, minute=30))
    article = "la" if clock[0] == 1 else "las"
    assert words_of(alarm, "es")[0].startswith(f"La alarma está puesta para {article} {clock[0]}:{clock[1]:02}")


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("en", "There is 1 minute left.", "There are 2 minutes left."),
        ("de", "Es bleibt noch 1 Minute.", "Es bleiben noch 2 Minuten."),
        ("fr", "Il reste 1 minute.", "Il reste 2 minutes."),
        ("es", "Queda 1 minuto.", "Quedan 2 minutos."),
    ],
)
def test_case_one_minute_is_singular(language: Language, one: str, several: str) -> None:
    told = [words_of(ToolOutcome("timer_left", {"seconds": seconds}), language)[0] for seconds in ("60", "120")]
    assert told == [one, several]


@pytest.mark.parametrize(
    ("language", "hour", "days"),
    [
        ("en", "The timer is over: 1 hour has passed.", "Tea: 3 days have passed."),
        ("de", "Der Timer ist abgelaufen: 1 Stunde ist um.", "Tea: 3 Tage sind um."),
        ("fr", "Le minuteur a sonné au bout de 1 heure.", "Tea : le minuteur a sonné au bout de 3 jours."),
        ("es", "El temporizador ha terminado: ha pasado 1 hora.", "Tea: han pasado 3 días."),
    ],
)
def test_case_what_has_passed_agrees_with_its_number(language: Language, hour: str, days: str) -> None:
    assert words_of(timer_over(3600, ""), language) == (hour,)
    assert words_of(timer_over(3 * 86_400, "tea"), language) == (days,)


def test_case_a_result_of_one_is_singular_in_spanish() -> None:
    assert told("¿Cuánto es 3 menos 2?") == "Es 1."
    assert told("¿Cuánto es 3 menos 1?") == "Son 2."
