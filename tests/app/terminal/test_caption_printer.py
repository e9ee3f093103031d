"""Captions on a screen, in a pipe, and as JSON lines."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.look.text_layout import cells
from app.terminal.caption_printer import (
    JsonPrinter,
    LinePrinter,
    TerminalPrinter,
    choose_printer,
    summary_line,
    translation_line,
)
from app.transcript.pairs import Pairs
from engine.events import (
    Caption,
    Latency,
    SpeakerLabel,
    Summary,
    Translation,
    TranslationStats,
    TranslationSummary,
    Word,
)

SUMMARY = Summary("Hello.", 4.0, 8, 0.4, 0.1, Latency(0.61, 0.5, 1.25), "en", forwards=41, tokens=90)


class Screen(io.StringIO):
    """A terminal: it obeys the few codes that are used and remembers what stands in each row.

    Attributes:
        rows: what a person sees, dim text in {braces}.
    """

    def __init__(self, columns: int = 40, height: int = 10) -> None:
        super().__init__()
        self.columns, self.height = columns, height
        self.rows: list[list[str]] = [[]]
        self.row = self.column = 0
        self.dim = False

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        for code, character in re.findall(r"\x1b\[(\d*[A-Za-z])|(.)", text, re.DOTALL):
            if code:
                self._obey(code)
            else:
                self._put(character)
        return len(text)

    def text(self) -> str:
        lines = ("".join(row).replace("}{", "").rstrip() for row in self.rows)
        return "\n".join(lines).rstrip("\n")

    def _obey(self, code: str) -> None:
        number = int(code[:-1] or 0)
        if code[-1] == "A":
            assert number < self.height, "a row that has scrolled away cannot be reached"
            self.row -= number
        elif code[-1] == "J":
            del self.rows[self.row + 1 :]
            del self.rows[self.row][self.column :]
        else:
            assert code[-1] == "m"
            self.dim = number == 2

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row, self.column = self.row + 1, 0
            if self.row == len(self.rows):
                self.rows.append([])
        else:
            row = self.rows[self.row]
            assert self.column == sum(cells(each.strip("{}")) for each in row), "text must not overwrite"
            row.append(f"{{{character}}}" if self.dim else character)
            self.column += cells(character)
            assert self.column < self.columns, "text must not reach the edge"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    made = Screen()
    monkeypatch.setenv("COLUMNS", str(made.columns))
    monkeypatch.setenv("LINES", str(made.height))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield made


def make_caption(id: int, committed: str, pending: str = "", final: bool = False) -> Caption:
    words = [tuple(Word(f" {part}", 0, 1, 0.5) for part in text.split()) for text in (committed, pending)]
    return Caption(id, 1, 0.0, 1.0, words[0], words[1], final, 1.25, 1.5)


def test_committed_words_stay_and_the_pending_tail_is_dim(screen: Screen) -> None:
    printer = choose_printer(screen, io.StringIO(), as_json=False)
    printer.show(make_caption(1, "", "good morn"))
    assert screen.text() == "{good morn}"
    printer.show(make_caption(1, "Good", "morning every"))
    assert screen.text() == "Good{ morning every}"
    printer.show(make_caption(1, "Good morning, everyone.", final=True))
    printer.show(make_caption(2, "Can", "you"))
    assert screen.text() == "Good morning, everyone.\nCan{ you}"


def test_long_captions_wrap_at_words_and_are_redrawn_in_place(screen: Screen) -> None:
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    text = "they appear on the screen while we are speaking and go on for several lines"
    words = text.split()
    for count in range(1, len(words) + 1):
        printer.show(make_caption(1, " ".join(words[:count]), "and then"))
    printer.show(make_caption(1, " ".join(words), final=True))
    printer.show(make_caption(2, "Next.", final=True))
    assert screen.text() == "they appear on the screen while we are\nspeaking and go on for several lines\nNext."


def test_a_caption_longer_than_the_screen_does_not_garble_it(screen: Screen) -> None:
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    text = " ".join(f"word{number}" for number in range(200))
    printer.show(make_caption(1, text))
    printer.show(make_caption(1, text, "tail"))
    assert len(screen.rows) < screen.height
    printer.show(make_caption(1, text, final=True))
    assert screen.text().split() == text.split()


def test_a_later_caption_waits_for_the_one_before_it(screen: Screen) -> None:
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    printer.show(make_caption(1, "First", "is"))
    printer.show(make_caption(2, "Second.", final=True))
    assert screen.text() == "First{ is}\nSecond."
    printer.show(make_caption(1, "First is last.", final=True))
    assert screen.text() == "First is last.\nSecond."


def test_a_caption_that_is_taken_back_holds_nothing_up(screen: Screen) -> None:
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    printer.show(make_caption(1, "", "noise"))
    printer.show(make_caption(1, ""))
    printer.show(make_caption(2, "Second.", final=True))
    assert screen.text() == "Second."
    assert not printer.pairs.captions


def test_without_colour_nothing_is_dim_and_dots_mark_the_tail(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    choose_printer(screen, io.StringIO(), as_json=False).show(make_caption(1, "Good", "morning"))
    assert screen.text() == "Good morning …"


def test_what_a_model_writes_cannot_steer_the_terminal(screen: Screen) -> None:
    TerminalPrinter(screen, io.StringIO(), colour=True).show(make_caption(1, "a\x1b[9A\rb"))
    assert screen.text() == "a[9A b"


def test_closing_leaves_the_words_and_a_fresh_line(screen: Screen) -> None:
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    printer.show(make_caption(1, "Good", "morning"))
    printer.close()
    screen.write("next")
    assert screen.text() == "Good{ morning}\nnext"


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 12), st.integers(0, 6), st.booleans()), max_size=20))
def test_any_order_of_captions_prints_every_final_one_once(steps: list[tuple[int, int, int, bool]]) -> None:
    screen = Screen(columns=80, height=24)
    printer = TerminalPrinter(screen, io.StringIO(), colour=True)
    finals: dict[int, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setenv("LINES", "24")
        for id, committed, pending, final in steps:
            if id not in finals:
                text = " ".join(f"w{id}x{number}" for number in range(committed + 1))
                printer.show(make_caption(id, text, "p " * pending * (not final), final))
                if final:
                    finals[id] = text
    shown = screen.text().split("\n")
    assert all(shown.count(text) == 1 for text in finals.values())


def test_pipes_get_each_caption_once_when_it_is_final() -> None:
    out, notes = io.StringIO(), io.StringIO()
    printer = choose_printer(out, notes, as_json=False)
    assert isinstance(printer, LinePrinter)
    printer.show(make_caption(1, "Good", "morning"))
    printer.show(make_caption(1, "Good morning.", final=True))
    printer.conclude(SUMMARY)
    assert out.getvalue() == "Good morning.\n"
    assert notes.getvalue() == summary_line(SUMMARY) + "\n"


def test_json_lines_have_exactly_the_promised_fields() -> None:
    out = io.StringIO()
    printer = JsonPrinter(out)
    printer.show(make_caption(7, "Good", "morning"))
    printer.conclude(SUMMARY)
    caption, summary = map(json.loads, out.getvalue().splitlines())
    word = {"text": " Good", "start": 0, "end": 1, "probability": 0.5}
    assert caption == {
        "type": "caption", "id": 7, "revision": 1, "start": 0.0, "end": 1.0, "committed": [word],
        "pending": [word | {"text": " morning"}], "final": False, "audio_seconds": 1.25, "emitted_seconds": 1.5,
    }  # fmt: skip
    assert summary == {
        "type": "summary", "text": "Hello.", "audio_seconds": 4.0, "rounds": 8, "forwards": 41, "tokens": 90,
        "real_time_factor": 0.1, "word_latency_seconds": {"mean": 0.61, "p50": 0.5, "p95": 1.25},
    }  # fmt: skip


def test_the_summary_says_when_there_was_no_speech() -> None:
    line = summary_line(Summary("", 4.0, 1, 0.4, 0.1, None, None))
    assert line == "4.0 s of audio heard in 0.4 s (0.10 of real time); no words heard."


def test_the_summary_counts_the_words_of_what_nobody_read_along() -> None:
    line = summary_line(SUMMARY, timed=False)
    assert line == "4.0 s of audio heard in 0.4 s (0.10 of real time); 1 word."


# --- speakers ---


def test_a_line_that_is_split_before_its_speaker_is_known_loses_no_word_and_keeps_its_place() -> None:
    out = io.StringIO()
    printer = LinePrinter(out, io.StringIO(), pairs=Pairs(translated=False, labelled=True), timed=False)
    first, second = Word(" Hello.", 0.0, 1.0), Word(" Hi.", 1.5, 2.0)
    whole = Caption(1, 1, 0.0, 2.0, (first, second), (), True, 2.0, 2.0)
    printer.show(whole)
    printer.show(Caption(2, 0, 3.0, 4.0, (Word(" Well.", 3.0, 4.0),), (), True, 4.0, 4.0))
    printer.show(replace(whole, revision=2, end=1.0, committed=(first,), first_text=whole.text))
    printer.show(replace(whole, id=3, revision=0, start=1.5, committed=(second,), first_text=whole.text, moved=1))
    for number, speaker in ((1, "Anna"), (2, "Anna"), (3, "Ben")):
        printer.show(SpeakerLabel(number, speaker, b""))
    assert out.getvalue().splitlines() == ["Anna: Hello.", "Ben: Hi.", "Anna: Well."]
    printer.show(replace(whole, revision=3, first_text=whole.text))
    assert len(out.getvalue().splitlines()) == 3, "what was printed is not printed again"


# --- translations ---


def make_translation(id: int, text: str, hidden: str = "", final: bool = False, revision: int = 1) -> Translation:
    stats = TranslationStats(drafted=5, accepted=4, output=6, forwards=3)
    return Translation(id, revision, text, hidden, "as said", "de", final, 1.7504, stats)


def translated(out: io.StringIO) -> TerminalPrinter:
    return TerminalPrinter(out, io.StringIO(), colour=True, pairs=Pairs(translated=True))


def test_a_translation_stands_beneath_its_caption_and_is_revised_in_place(screen: Screen) -> None:
    printer = translated(screen)
    printer.show(make_caption(1, "Good", "morning"))
    printer.show(make_translation(1, "", "Guter"))
    assert screen.text() == "Good{ morning}"
    printer.show(make_translation(1, "Guten Tag", " an alle"))
    assert screen.text() == "Good{ morning}\n  Guten Tag"
    printer.show(make_caption(2, "Can", "you"))
    printer.show(make_translation(1, "Guten Morgen"))
    assert screen.text() == "Good{ morning}\n  Guten Morgen\nCan{ you}"


def test_a_finished_caption_waits_for_its_finished_translation(screen: Screen) -> None:
    printer = translated(screen)
    printer.show(make_caption(1, "Good morning.", final=True))
    printer.show(make_translation(1, "Guten"))
    printer.show(make_caption(2, "Bye.", final=True))
    assert list(printer.pairs.captions) == [1, 2]
    printer.show(make_translation(1, "Guten Morgen.", final=True))
    assert list(printer.pairs.captions) == [2]
    printer.show(make_translation(2, "Tschüs.", final=True))
    assert not printer.pairs.captions
    assert screen.text() == "Good morning.\n  Guten Morgen.\nBye.\n  Tschüs."


def test_a_caption_whose_translation_was_left_out_does_not_wait_for_ever(screen: Screen) -> None:
    printer = translated(screen)
    for number in (1, 2, 3):
        printer.show(make_caption(number, f"Caption {number}.", final=True))
    printer.show(make_translation(2, "Zwei.", final=True))  # they come in order: there is none of the first
    assert list(printer.pairs.captions) == [3]
    printer.release()
    assert not printer.pairs.captions
    assert screen.text() == "Caption 1.\nCaption 2.\n  Zwei.\nCaption 3."


def test_a_caption_that_still_grows_when_others_are_released_waits_for_its_own_translation(screen: Screen) -> None:
    printer = translated(screen)
    printer.show(make_caption(1, "Good", "morning"))
    printer.release()
    printer.show(make_caption(1, "Good morning.", final=True))
    assert list(printer.pairs.captions) == [1]


def test_a_translation_whose_caption_was_taken_back_is_not_shown(screen: Screen) -> None:
    printer = translated(screen)
    printer.show(make_caption(1, "", "noise"))
    printer.show(make_caption(1, ""))
    printer.show(make_translation(1, "Lärm"))
    assert screen.text() == ""
    assert not printer.pairs.translations


@pytest.mark.parametrize("columns", [6, 9, 24, 40])
@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("We are going home today.", "Wir gehen heute nach Hause, und zwar ohne Donaudampfschifffahrtsgesellschaft."),
        ("We are going home today.", "今天我们要回家，然后吃晚饭。"),
        ("We are going home today.", "سنذهب إلى البيت اليوم ونأكل العشاء معا."),
        ("Flags 🇩🇪 and 👍🏽.", "Flaggen 🇩🇪 und é 👍🏽."),
    ],
)
def test_any_width_and_script_is_redrawn_without_garbling(
    columns: int, text: str, translation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen(columns, 50)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "50")
    printer = translated(screen)
    words, parts = text.split(), translation.split()
    for count in range(1, 20):
        printer.show(make_caption(1, " ".join(words[:count]), "…"))
        printer.show(make_translation(1, " ".join(parts[:count]), " …"))
    printer.show(make_caption(1, text, final=True))
    printer.show(make_translation(1, translation, final=True))
    rows = screen.text().split("\n")
    below = [row.startswith("  ") for row in rows]
    assert below == sorted(below), "the caption above, its translation indented below"
    shown = "".join("".join(rows).split())
    assert shown == "".join(f"{text}{translation}".split())


def test_what_a_language_model_writes_cannot_steer_the_terminal(screen: Screen) -> None:
    printer = translated(screen)
    printer.show(make_caption(1, "a"))
    printer.show(make_translation(1, "b\x1b[2J\r\nc"))
    assert screen.text() == "a\n  b[2J c"


def test_the_summary_leaves_waiting_captions_on_the_screen_and_tells_of_translation(screen: Screen) -> None:
    notes = io.StringIO()
    printer = TerminalPrinter(screen, notes, colour=True, pairs=Pairs(translated=True))
    printer.show(make_caption(1, "Good morning.", final=True))
    cost = TranslationSummary("de", updates=7, drafted=50, accepted=40, output=80, forwards=20, seconds=1.23)
    printer.conclude(Summary("Good morning.", 4.0, 8, 0.4, 0.1, None, "en", cost))
    assert screen.text() == "Good morning."
    line = translation_line(cost)
    assert line == "Translated into German in 1.2 s (7 updates)."
    assert " ".join(notes.getvalue().split()).endswith(line)


def test_pipes_get_both_languages_when_both_are_final_and_all_at_the_end() -> None:
    out = io.StringIO()
    printer = choose_printer(out, io.StringIO(), as_json=False, translated=True)
    printer.show(make_caption(1, "Good morning.", final=True))
    printer.show(make_translation(1, "Guten"))
    assert out.getvalue() == ""
    printer.show(make_translation(1, "Guten Morgen.", final=True))
    assert out.getvalue() == "Good morning.\n  Guten Morgen.\n"
    printer.show(make_caption(2, "Bye.", final=True))
    printer.show(make_translation(2, "Auf"))
    printer.release()  # the translation has stopped: half of one is none
    assert out.getvalue().endswith("\nBye.\n")
    printer.show(make_caption(3, "Bye.", final=True))
    printer.close()
    assert out.getvalue().endswith("\nBye.\nBye.\n")


def test_json_lines_of_translations_have_exactly_the_promised_fields() -> None:
    out = io.StringIO()
    printer = JsonPrinter(out)
    printer.show(make_translation(7, "Guten", " Morgen"))
    cost = TranslationSummary("de", 2, 10, 8, 12, 6, 0.12345)
    printer.conclude(Summary("Hello.", 4.0, 8, 0.4, 0.1, None, "en", cost))
    translation, summary = map(json.loads, out.getvalue().splitlines())
    assert translation == {
        "type": "translation", "id": 7, "revision": 1, "text": "Guten", "hidden": " Morgen", "source": "as said",
        "language": "de", "final": False, "emitted_seconds": 1.75, "drafted": 5, "accepted": 4, "output": 6,
        "forwards": 3,
    }  # fmt: skip
    assert summary["translation"] == {
        "language": "de", "updates": 2, "drafted": 10, "accepted": 8, "output": 12, "forwards": 6, "seconds": 0.123,
    }  # fmt: skip
