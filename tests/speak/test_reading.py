"""What a voice reads where something else is written: addresses, prices, fractions, formulas, abbreviations."""

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
        ("That is $1, $2.5 million and 5 €.", "That is 1 dollar, 2.5 million dollars and 5 €."),
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
        "It is 3.5 metres at 10:30, on 1/2/2024 or 2024-05-01.",
        "Call 555-1234, or 0800 100-200.",
        "We won 2-1, 24/7, 7/8 and/or more.",
        "Dr. Smith has 50% of it; isn't it 20 °C?",
        "Mir ist das gleich.",
    ],
)
def test_what_voices_read_well_is_left_to_them(plain: str) -> None:
    assert read_aloud(plain, "en") == plain


def test_a_voice_is_given_what_is_to_be_read() -> None:
    voice = ScriptedVoice(name="espeak de 175")
    list(SpeechAhead(voice).speak("Das sind $5."))
    assert voice.begun == ["Das sind 5 Dollar."]
