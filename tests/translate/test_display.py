import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from engine.translate.display import clustered, common_words, joined, units, unmasked, visible

WORDS = st.lists(
    st.sampled_from(["der", "Hund", "ist,", "da.", "世", "界。", "ไทย", "שלום", "👩‍👩‍👧", "«a»", "ー"]), max_size=8
)
SPACED = st.builds(lambda words, gap: gap.join(words), WORDS, st.sampled_from([" ", ""]))
TEXTS = st.one_of(st.text(max_size=20), SPACED)
MASKS = st.integers(0, 6)


class Mask:
    """Holds back the end of one sentence's translations.

    Attributes:
        shown: what is on the screen now.
    """

    def __init__(self, mask: int) -> None:
        self.shown = ""
        self._mask = mask

    def show(self, text: str, *, final: bool = False) -> tuple[str, str]:
        """Receive the newest translation; return what to show of it and what is held back. A final one is all shown."""
        self.shown = text if final else visible(text, self._mask, self.shown)
        return self.shown, text[len(self.shown) :]

    def restart(self) -> None:
        """Go on to the next sentence."""
        self.shown = ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das ist ein Haus, ja.", ["Das", " ist", " ein", " Haus,", " ja."]),
        ("私はPythonを使う。", ["私", "は", "Python", "を", "使", "う。"]),
        ("彼は「東京」へ", ["彼", "は", "「東", "京」", "へ"]),
        ("コーヒー", ["コ", "ー", "ヒ", "ー"]),
        ("สวัสดี ครับ", ["ส", "วั", "ส", "ดี", " ค", "รั", "บ"]),
        ("한국어 단어", ["한국어", " 단어"]),
        ("שלום עולם!", ["שלום", " עולם!"]),
        ("don't 3.14 well-known", ["don't", " 3.14", " well-known"]),
        ("so 👩‍👩‍👧 da", ["so", " 👩‍👩‍👧", " da"]),
        ("ja  nein", ["ja", "  nein"]),
        ("ja nein ", ["ja", " nein "]),
        ("ja  ", ["ja  "]),
        (" ", [" "]),
        ("「a(b", ["「a(b"]),
        ("", []),
    ],
)
def test_units_are_words_or_characters_by_the_script_of_the_text(text: str, expected: list[str]) -> None:
    assert units(text) == expected


@given(st.one_of(TEXTS, st.text("ab é.,!?(«\"\t\n\x1c\x85\xa0\u3000\u200b\u200d\u0308漢ก-'’…\r\ud800", max_size=9)))
def test_units_of_a_script_with_spaces_are_found_as_cluster_by_cluster(text: str) -> None:
    assert units(text) == clustered(text)


@given(TEXTS)
def test_units_joined_are_the_text_again(text: str) -> None:
    assert "".join(units(text)) == text


@given(TEXTS)
def test_no_unit_splits_what_a_reader_sees_as_one_character(text: str) -> None:
    clusters = regex.findall(r"\X", text)
    ends = {len("".join(clusters[:count])) for count in range(len(clusters) + 1)}
    found = units(text)
    assert {len("".join(found[:count])) for count in range(len(found) + 1)} <= ends


def test_the_last_words_are_held_back_and_in_scripts_without_spaces_the_last_characters() -> None:
    assert unmasked("Das ist ein Haus.", 2) == "Das ist"
    assert unmasked("今日は雨です。", 3) == "今日は"
    assert unmasked("Ich mag 寿司", 1) == "Ich mag 寿"
    assert unmasked("Ja", 3) == ""
    assert unmasked("Ja.", 0) == "Ja."


@given(TEXTS, TEXTS, MASKS)
def test_what_is_shown_begins_the_whole_and_what_is_hidden_ends_it(before: str, text: str, mask: int) -> None:
    screen = Mask(mask)
    screen.show(before)
    shown, hidden = screen.show(text)
    assert shown + hidden == text
    assert shown == screen.shown


@given(TEXTS, TEXTS, MASKS)
def test_no_more_than_the_mask_is_hidden(before: str, text: str, mask: int) -> None:
    assert len(visible(text, mask, before)) >= len(unmasked(text, mask))


@given(st.lists(TEXTS, max_size=4), TEXTS, MASKS)
def test_all_of_a_final_text_is_shown(before: list[str], text: str, mask: int) -> None:
    screen = Mask(mask)
    for earlier in before:
        screen.show(earlier)
    assert screen.show(text, final=True) == (text, "")


@given(TEXTS, TEXTS, MASKS)
def test_what_is_shown_stays_where_the_text_still_begins_with_it(shown: str, more: str, mask: int) -> None:
    assert visible(shown + more, mask, shown).startswith(shown)


@given(st.lists(TEXTS, min_size=1, max_size=6), MASKS)
def test_a_text_that_only_grows_is_never_erased(pieces: list[str], mask: int) -> None:
    screen, last = Mask(mask), ""
    for count in range(1, len(pieces) + 1):
        shown, _ = screen.show("".join(pieces[:count]), final=count == len(pieces))
        assert shown.startswith(last)
        last = shown


def test_words_that_have_not_changed_stay_though_a_later_one_has() -> None:
    screen = Mask(2)
    assert screen.show("Das Haus ist sehr alt heute")[0] == "Das Haus ist sehr"
    assert screen.show("Das Haus ist ganz alt")[0] == "Das Haus ist"
    assert screen.show("Das Haus, ja")[0] == "Das Haus"


def test_a_word_that_has_become_another_does_not_stay_in_part() -> None:
    assert visible("ein Hausboot fährt", 3, "ein Häuschen") == "ein"


def test_the_next_sentence_begins_with_nothing_shown() -> None:
    screen = Mask(1)
    screen.show("Ein Haus steht", final=True)
    screen.restart()
    assert screen.show("Ein Haus") == ("Ein", " Haus")


def test_texts_are_joined_with_a_space_where_their_script_has_spaces() -> None:
    assert joined(["Ja.", "", "Nein."]) == "Ja. Nein."
    assert joined(["はい。", "いいえ。"]) == "はい。いいえ。"
    assert joined([]) == ""


@pytest.mark.parametrize(
    ("text", "other", "same"),
    [
        ("Das ist gut", "Das ist", "Das ist"),
        ("Das ist gut", "Das istmal", "Das ist"),
        ("Das ist gut", "Das war gut", "Das"),
        ("aber nein", "über nein", ""),
        ("ab cd", "aX cd", ""),
        ("世界。", "世人", "世"),
        ("", "Das", ""),
    ],
)
def test_two_texts_have_in_common_whole_words_of_either(text: str, other: str, same: str) -> None:
    assert common_words(text, other) == same


def test_texts_are_joined_tightly_where_either_side_has_no_spaces() -> None:
    assert joined(["世界", "Welt"]) == "世界Welt" and joined(["Welt", "世界"]) == "Welt世界"
    assert joined(["a世c", "d"]) == "a世c d"


def test_nothing_is_on_the_screen_before_the_first_text_and_after_a_restart() -> None:
    screen = Mask(1)
    assert screen.shown == ""
    screen.show("Das ist gut")
    screen.restart()
    assert screen.shown == ""
