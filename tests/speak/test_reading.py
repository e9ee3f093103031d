"""Words that a voice reads in place of what is written: addresses, prices, fractions, formulas, abbreviations."""

import pytest

from engine.speak.ahead import SpeechAhead
from engine.speak.reading import read_aloud
from engine.turns import Language
from tests.speak.scripted_voice import ScriptedVoice


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See https://www.bbc.com/news for it.", "See bbc dot com slash news for it."),
        ("See https://example.com/a/very/long/way/to/it?id=3456789#top.", "See example dot com."),
        ("It is here (www.gov.uk) and <https://gov.uk/>.", "It is here (gov dot uk) and gov dot uk."),
        ("Write to jane.doe@example.com now.", "Write to jane dot doe at example dot com now."),
        ("It costs $5 or $1,200.00 or £3.99.", "It costs 5 dollars or 1,200 dollars or 3 pounds 99."),
        ("That is $1, $2.5 million and 5 €.", "That is 1 dollar, 2.5 million dollars and 5 euros."),
        ("Use a tool, e.g. a hammer, i.e. this.", "Use a tool, for example a hammer, that is this."),
        ("Take 1/2 of it, or 1 1/2 cups, or 3/4.", "Take one half of it, or 1 and one half cups, or three quarters."),
        ("It takes 10-20 days, as in 1914–1918.", "It takes 10 to 20 days, as in 1914 to 1918."),
        ("There were ~5 of them, France vs. Spain.", "There were about 5 of them, France versus Spain."),
        ("5 * 3 is 15, and 2×3 is 6.", "5 times 3 is 15, and 2 times 3 is 6."),
        (r"\[ x = \frac{-b \pm \sqrt{b^2 - c}}{2a} \]", "x = -b ± the square root of b squared - c over 2a"),
        (r"It is \(\pi r^{2}\).", "It is pi r squared."),
        ("So $E = mc^3$ holds for $5.", "So E = mc cubed holds for 5 dollars."),
        ("<|im_start|>Say <|x|> it.", "Say it."),
        ("<b>Bold</b> words &amp; others, a < b.", "Bold words & others, a < b."),
    ],
)
def test_what_voices_would_spell_out_is_read_as_people_read_it(written: str, read: str) -> None:
    assert read_aloud(written, "en") == read


@pytest.mark.parametrize(
    ("language", "written", "read"),
    [
        ("de", "Es kostet €5, z.B. hier.", "Es kostet 5 Euro, zum Beispiel hier."),
        ("de", "Auf https://heise.de/news.", "Auf heise Punkt de Schrägstrich news."),
        ("fr", "Cela fait 1/2, c.-à-d. peu.", "Cela fait un demi, c'est-à-dire peu."),
        ("es", "Son 5 × 3 por $1.", "Son 5 por 3 por 1 dólar."),
    ],
)
def test_it_is_read_in_the_language_of_the_voice(language: Language, written: str, read: str) -> None:
    assert read_aloud(written, language) == read


@pytest.mark.parametrize(
    "plain",
    [
        "I told Mary I would come, and the part I like is 16:9.",
        "It is 3.5 metres at 10:30, on 1/2/2024.",
        "Call 555-1234, or 0800 100-200.",
        "We won 2-1, 24/7, 7/8 and/or more.",
        "Dr. Smith has 50% of it; isn't it so?",
        "Mir ist das gleich.",
    ],
)
def test_what_voices_read_well_is_left_to_them(plain: str) -> None:
    assert read_aloud(plain, "en") == plain


@pytest.mark.parametrize(
    ("language", "written", "read"),
    [
        ("en", "It is 3:00 pm.", "It is 3 pm."), ("en", "It is 9:05 a.m. now", "It is 9 oh 5 am now"),
        ("en", "at 15:00", "at 3 pm"), ("en", "at 8:00", "at 8 o'clock"), ("en", "at 0:00", "at midnight"),
        ("en", "until 24:00", "until midnight"),
        ("de", "Es ist 15:00 Uhr.", "Es ist 15 Uhr."), ("de", "um 1:30 Uhr", "um ein Uhr 30"),
        ("de", "um 08:05", "um 8 Uhr 5"), ("fr", "Il est 15 h 00.", "Il est 15 heures."),
        ("fr", "à 21h30", "à vingt et une heures 30"), ("fr", "à 14:30", "à 14 heures 30"),
        ("es", "Son las 15:00.", "Son las 15 horas."), ("es", "Son las 9:05.", "Son las 9 y 5."),
        ("en", "10 km/h or 1 kg", "10 kilometres per hour or 1 kilogram"), ("en", "5 ft 6 in", "5 feet 6 inches"),
        ("en", "1'1\" wide", "1 foot 1 inch wide"),
        ("de", "10 km/h bei 20 °C", "10 Kilometer pro Stunde bei 20 Grad Celsius"),
        ("fr", "10 km/h", "10 kilomètres à l'heure"), ("es", "10 km/h", "10 kilómetros por hora"),
        ("en", "in World War II", "in World War 2"), ("en", "Henry VIII was", "Henry the 8th was"),
        ("en", "Elizabeth I.", "Elizabeth the 1st."), ("en", "Chapter IV", "Chapter 4"),
        ("de", "Heinrich VIII. war da", "Heinrich der Achte war da"), ("de", "Kapitel IV", "Kapitel 4"),
        ("fr", "Louis XIV et François Ier", "Louis 14 et François premier"),
        ("fr", "le XIXe siècle", "le dix-neuvième siècle"), ("es", "Felipe II", "Felipe segundo"),
        ("es", "Alfonso XIII en el siglo XIX", "Alfonso 13 en el siglo 19"),
        ("de", "am 24.12.2024", "am vierundzwanzigsten Dezember 2024"),
        ("de", "der 3. Mann am 1. Mai", "der dritte Mann am ersten Mai"),
        ("de", "Er wurde 5. Dann kam", "Er wurde 5. Dann kam"),
        ("fr", "la 2e fois, le 1/5/2024", "la deuxième fois, le 1er mai 2024"),
        ("es", "la 2.ª vez, el 24/12/2024", "la segunda vez, el 24 de diciembre de 2024"),
        ("en", "on 2024-12-24", "on December 24, 2024"), ("en", "the 1990s and '80s", "the 19 nineties and eighties"),
        ("en", "$5m, €1bn, US$5", "5 million dollars, 1 billion euros, 5 U S dollars"),
        ("en", "$3.05, £1.01, -$2.09", "3 dollars and 5 cents, 1 pound and 1 penny, -2 dollars and 9 cents"),
        ("en", "$-2.50, US$3.05, £0.01, ¥3.05", "-2 dollars 50, 3 U S dollars and 5 cents, 1 penny, 3.05 yen"),
        ("de", "3,05 €, 1,00 €, 0,01 €", "3 Euro und 5 Cent, 1 Euro, 1 Cent"),
        ("fr", "3,05 €, -1,01 €, 0,99 €", "3 euros et 5 centimes, -1 euro et 1 centime, 99 centimes"),
        ("es", "3,05 €, $0.01, 20,40 €", "3 euros con 5 céntimos, 1 centavo, 20 euros con 40"),
        ("en", "a $1.5 stamp, ¥500, $0.99", "a 1 dollar 50 stamp, 500 yen, 99 cents"),
        ("de", "29,99 € und 5 Mio. €", "29 Euro 99 und 5 Millionen Euro"),
        ("fr", "29,99 € et 5 M€", "29 euros 99 et 5 millions d'euros"),
        ("es", "29,99 € y 5 M€", "29 euros con 99 y 5 millones de euros"),
        ("en", "Mr. Jones Jr. is #1, not No. 2", "Mr. Jones junior is number 1, not number 2"),
        ("de", "u. a. Nr. 5", "unter anderem Nummer 5"), ("en", "a &lt; b", "a < b"),
    ],
)  # fmt: skip
def test_case_figures_are_read_aloud_as_people_read_them(language: Language, written: str, read: str) -> None:
    assert read_aloud(written, language) == read


def test_a_voice_is_given_what_is_to_be_read() -> None:
    voice = ScriptedVoice()
    voice.language = "de"
    list(SpeechAhead(voice).speak("Das sind $5."))
    assert voice.begun == ["Das sind 5 Dollar."]
