"""Captions as files: conventions of subtitles, and files that are whole or not there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.history.export.bilingual import as_caption, bilingual_cues
from app.history.export.cues import LINE_CELLS, MAX_CUE_SECONDS
from app.history.export.exporting import ExportChoice, Parts, check_target, rendered, write_transcript
from app.history.export.formats import ExportError, to_srt, to_vtt
from app.history.records import Transcript
from app.look.text_layout import cells, printable
from engine.errors import OptionError
from engine.events import Caption, Translation, Word

TIME = re.compile(r"(\d\d):(\d\d):(\d\d)([.,])(\d\d\d) --> (\d\d):(\d\d):(\d\d)([.,])(\d\d\d)")


def make_caption(text: str, start: float = 0.0, pace: float = 0.3, id: int = 1, final: bool = True) -> Caption:
    """Make a caption of words one after another, `pace` seconds each."""
    parts = text.split(" ")
    words = tuple(
        Word((" " if index else "") + part, start + index * pace, start + (index + 1) * pace, 0.9)
        for index, part in enumerate(parts)
    )
    return Caption(id, 3, start, words[-1].end, words, (), final, words[-1].end, words[-1].end)


def written(ending: str, captions: Sequence[Caption], translations: Iterable[Translation] = ()) -> str:
    """Render captions as the command line does."""
    transcript = Transcript(captions=tuple(captions), translations=tuple(translations))
    return rendered(transcript, ExportChoice(ending, times=False))


def write(
    path: Path, captions: Sequence[Caption], translations: Iterable[Translation] = (), parts: Parts = "both"
) -> tuple[Path, ...]:
    """Write captions as the command line does."""
    transcript = Transcript(captions=tuple(captions), translations=tuple(translations), audio_seconds=3.0)
    return write_transcript(path, transcript, ExportChoice(path.suffix.lower(), parts, times=False))


words_in_time = st.lists(
    st.tuples(
        st.sampled_from(["", " "]),
        st.one_of(
            st.sampled_from(["the", "and", "Yes.", "well,", "世界", "é", "-->", "a<b>&c", "x" * 50, "y" * 200]),
            st.text(min_size=1, max_size=12),
        ),
        st.floats(0, 3),
        st.floats(0, 9),
    ),
    max_size=60,
)


@st.composite
def captions(draw: st.DrawFn) -> list[Caption]:
    """Draw captions whose times never run backwards, overlapping and empty ones included."""
    made = []
    now = draw(st.floats(0, 4000))
    for id in range(draw(st.integers(0, 4))):
        words = []
        for space, text, gap, length in draw(words_in_time):
            now += gap
            words.append(Word(space + text, now, now + length))
        end = words[-1].end if words else now
        made.append(Caption(id, 1, now, end, tuple(words), (), True, end, end))
    return made


@given(captions())
def test_cues_never_overlap_and_always_last(made: list[Caption]) -> None:
    cues = bilingual_cues(made, {})
    assert all(cue.start_ms < cue.end_ms for cue in cues)
    assert all(first.end_ms <= second.start_ms for first, second in pairwise(cues))


@given(captions())
def test_cues_have_at_most_two_lines_of_42_columns(made: list[Caption]) -> None:
    for cue in bilingual_cues(made, {}):
        assert 1 <= len(cue.lines) <= 2
        assert all(0 < cells(line) <= LINE_CELLS for line in cue.lines)


@given(captions())
def test_cues_hold_every_character_that_was_said(made: list[Caption]) -> None:
    said = "".join(word.text for caption in made for word in caption.committed)
    shown = "".join("".join(cue.lines) for cue in bilingual_cues(made, {}))
    assert _visible(shown) == _visible(said)


@given(captions())
def test_files_can_be_read_back(made: list[Caption]) -> None:
    srt, vtt = to_srt(made), to_vtt(made)
    count = len(bilingual_cues(made, {}))
    assert [int(block.split("\n")[0]) for block in srt.split("\n\n") if block] == list(range(1, count + 1))
    assert len(TIME.findall(srt)) == len(TIME.findall(vtt)) == count
    assert vtt.startswith("WEBVTT\n")
    assert vtt.count("-->") == count
    assert "<" not in vtt
    assert json.loads(written(".json", made))["version"] == 1


def test_srt_follows_the_format() -> None:
    text = to_srt([make_caption("Hello there.", 3661.5), make_caption("Bye.", 3665, id=2)])
    assert text == ("1\n01:01:01,500 --> 01:01:02,333\nHello there.\n\n2\n01:01:05,000 --> 01:01:05,833\nBye.\n")


def test_vtt_escapes_what_would_be_markup() -> None:
    text = to_vtt([make_caption("<b> --> R&D")])
    assert text.splitlines()[0:2] == ["WEBVTT", ""]
    assert text.splitlines()[3] == "&lt;b&gt; --&gt; R&amp;D"
    assert "00:00:00.000 --> " in text


def test_txt_is_one_caption_a_line() -> None:
    assert written(".txt", [make_caption("One two."), make_caption("Three?")]) == "One two.\nThree?\n"


def test_json_keeps_words_and_their_times() -> None:
    record = json.loads(written(".json", [replace(make_caption("One two."), language="en")]))
    assert record["language"] == "en"
    assert record["captions"][0]["text"] == "One two."
    assert record["captions"][0]["words"][1] == {"text": " two.", "start": 0.3, "end": 0.6, "probability": 0.9}


def test_a_long_sentence_becomes_cues_with_times_of_their_words() -> None:
    text = (
        "When the first captions appeared on television, people who could not hear the programme were able to "
        "follow it for the first time, and many of them wrote letters to say how much it meant to them."
    )
    cues = bilingual_cues([make_caption(text, 10.0)], {})
    assert len(cues) >= 3
    words = text.split(" ")
    shown = 0
    for cue in cues:
        assert cue.start_ms == round(1000 * (10 + 0.3 * shown))
        shown += len(" ".join(cue.lines).split(" "))
    assert shown == len(words)


def test_lines_break_after_punctuation_and_before_conjunctions() -> None:
    (cue,) = bilingual_cues(
        [make_caption("I wanted to come with you yesterday, but the train was late.", pace=0.1)], {}
    )
    assert cue.lines == ("I wanted to come with you yesterday,", "but the train was late.")


def test_an_article_never_ends_a_line() -> None:
    (cue,) = bilingual_cues([make_caption("We walked along the river towards the old railway station", pace=0.1)], {})
    assert not cue.lines[0].endswith((" the", " a"))


def test_slow_speech_does_not_stay_on_screen_for_ever() -> None:
    cues = bilingual_cues([make_caption("one two three four five six", pace=3.0)], {})
    assert all(cue.end_ms - cue.start_ms <= 1000 * MAX_CUE_SECONDS for cue in cues)


def test_a_short_cue_stays_long_enough_to_be_read_but_never_into_the_next() -> None:
    first, second = bilingual_cues([make_caption("Yes.", 1.0, 0.1), make_caption("No.", 1.5, 0.1, id=2)], {})
    assert (first.start_ms, first.end_ms) == (1000, 1417)
    assert second.end_ms - second.start_ms == 833


def test_control_characters_of_a_model_reach_no_file() -> None:
    text = written(".txt", [make_caption("bad\x1b[2Jword\x00 next\nline")])
    assert text == "bad[2Jword next line\n"


def test_files_are_utf8_and_replaced_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.SRT"
    out.write_text("old and much longer than what comes now " * 10)
    out.chmod(0o640)
    write(out, [make_caption("Grüße, 世界.")])
    assert out.read_text(encoding="utf-8") == "1\n00:00:00,000 --> 00:00:00,833\nGrüße, 世界.\n"
    assert out.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["out.SRT"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("old")
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    write(link, [make_caption("New.")])
    assert link.is_symlink()
    assert real.read_text() == "New.\n"


@pytest.mark.parametrize("name", ["out.doc", "out", "out.srt.gz"])
def test_an_unknown_ending_is_a_usage_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match=r"must end in \.srt, \.vtt, \.txt, \.md, \.docx, \.csv, \.rttm, \.json"):
        check_target(tmp_path / name)


def test_a_missing_folder_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="does not exist"):
        check_target(tmp_path / "nowhere" / "out.srt")


def test_a_name_that_is_too_long_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="too long"):
        check_target(tmp_path / f"{'long' * 100}.srt")


def test_case_a_file_in_a_folder_that_takes_no_other_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.srt"
    path.write_text("earlier")
    (tmp_path / "link").mkdir()
    link = tmp_path / "link" / "new.srt"
    link.symlink_to(path)
    monkeypatch.setattr(os, "access", lambda place, mode: place != tmp_path)
    for each in (path, link):
        with pytest.raises(ExportError, match="is not writable"):
            check_target(each)
    pipe = tmp_path / "pipe.srt"
    os.mkfifo(pipe)
    check_target(pipe)


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    (tmp_path / "out.srt").mkdir()
    with pytest.raises(ExportError, match="it is a folder"):
        check_target(tmp_path / "out.srt")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_clear_sentence(tmp_path: Path) -> None:
    out = tmp_path / "out.srt"
    out.symlink_to("/dev/full")
    with pytest.raises(ExportError, match=r"^Cannot write .*out\.srt: the disk is full\.$"):
        write(out, [make_caption("Hello.")])
    assert out.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_write_that_breaks_off_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("the old transcript")
    script = (
        "import resource, sys; from pathlib import Path; from app.history.export.formats import ExportError;"
        "from tests.app.history.export.test_formats import make_caption, write;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));\n"
        "try: write(Path(sys.argv[1]), [make_caption('word ' * 3000)])\n"
        "except ExportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "out.txt")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[4],
    )  # fmt: skip
    assert done.stdout.startswith("Cannot write")
    assert (tmp_path / "out.txt").read_text() == "the old transcript"
    assert os.listdir(tmp_path) == ["out.txt"]


# --- two languages ---


def make_translation(text: str, id: int = 1, language: str = "de") -> Translation:
    return Translation(id, 3, text, "", "", language, True)


translated_text = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(["die", "Wörter,", "und", "世界，", "das", "Ende.", "x" * 60, "שלום"]), max_size=40).map(
        " ".join
    ),
)


@given(captions(), st.lists(translated_text, min_size=4, max_size=4))
def test_cues_in_two_languages_keep_every_rule_of_cues_in_one(made: list[Caption], texts: list[str]) -> None:
    translations = {id: make_translation(text, id) for id, text in enumerate(texts)}
    cues = bilingual_cues(made, translations)
    assert all(cue.start_ms < cue.end_ms for cue in cues)
    assert all(first.end_ms <= second.start_ms for first, second in pairwise(cues))
    for cue in cues:
        assert 1 <= len(cue.lines) <= 2
        assert all(0 < cells(line) <= LINE_CELLS for line in cue.lines)


@given(st.lists(st.sampled_from(["one", "two,", "three", "and", "y" * 50]), min_size=1, max_size=40), translated_text)
def test_cues_in_two_languages_hold_all_that_was_said_and_all_of_its_translation(words: list[str], text: str) -> None:
    caption = make_caption(" ".join(words))
    shown = "".join("".join(cue.lines) for cue in bilingual_cues([caption], {1: make_translation(text)}))
    assert sorted(_visible(shown)) == sorted(_visible(caption.text + text))


def test_a_short_caption_and_its_translation_are_one_cue_of_two_lines() -> None:
    (cue,) = bilingual_cues([make_caption("Good morning.")], {1: make_translation("Guten Morgen.")})
    assert cue.lines == ("Good morning.", "Guten Morgen.")


def test_a_long_caption_shares_its_translation_out_at_clauses() -> None:
    caption = make_caption(
        "I wanted to come with you yesterday, but the train was late, and so I stayed at home.", pace=0.2
    )
    translation = make_translation(
        "Ich wollte gestern mit dir kommen, aber der Zug hatte Verspätung, und so blieb ich daheim."
    )
    assert [cue.lines for cue in bilingual_cues([caption], {1: translation})] == [
        ("I wanted to come with you yesterday,", "Ich wollte gestern mit dir kommen,"),
        ("but the train was late,", "aber der Zug hatte Verspätung,"),
        ("and so I stayed at home.", "und so blieb ich daheim."),
    ]


def test_case_a_cue_pairs_a_sentence_with_its_own_translation() -> None:
    caption = make_caption("Where is the station? I would like a quiet room with a balcony. Thank you.")
    translation = make_translation(
        "Wo ist denn hier in der Nähe der Bahnhof? Ich hätte gern ein ruhiges Zimmer. Danke."
    )
    assert [cue.lines for cue in bilingual_cues([caption], {1: translation})] == [
        ("Where is the station?", "Wo ist denn hier in der Nähe der Bahnhof?"),
        ("I would like a quiet room with a balcony.", "Ich hätte gern ein ruhiges Zimmer."),
        ("Thank you.", "Danke."),
    ]


def test_case_a_name_stands_in_the_cue_of_its_translation() -> None:
    caption = make_caption("It rained. Tom likes Italian food more than anything else in the world.")
    translation = make_translation("Il a plu pendant toute la journée d'hier. Tom aime la cuisine italienne.")
    cues = bilingual_cues([caption], {1: translation})
    assert cues[0].lines == ("It rained.", "Il a plu pendant toute la journée d'hier.")
    assert all(("Tom" in above) == ("Tom" in below) for above, below in (cue.lines for cue in cues))


def test_a_language_without_spaces_is_shared_out_between_characters_but_not_before_a_comma() -> None:
    caption = make_caption("Today the weather is very nice, so we are going to the park after lunch and stay there.")
    text = "今天天气很好，所以我们午饭以后去公园，然后一直待在那里，直到晚上才回家吃饭，大家都很高兴。"
    cues = bilingual_cues([caption], {1: make_translation(text)})
    assert len(cues) >= 3
    assert "".join(cue.lines[-1] for cue in cues) == text
    assert not any(cue.lines[-1].startswith(("，", "。")) for cue in cues)


def test_a_translation_much_longer_than_its_caption_goes_on_in_the_captions_time() -> None:
    caption = make_caption("Yes.", 10.0, pace=4.0)
    cues = bilingual_cues([caption], {1: make_translation("Ja, das ist so. " * 6)})
    assert cues[0].lines[0] == "Yes."
    assert all(len(cue.lines) == 1 for cue in cues[1:])
    assert cues[0].start_ms == 10_000
    assert all(10_000 <= cue.start_ms < 14_000 for cue in cues)


def test_captions_without_a_translation_are_laid_out_as_ever() -> None:
    made = [make_caption("one two three four five six seven eight nine ten eleven"), make_caption("No.", 9.0, id=2)]
    assert bilingual_cues(made, {1: make_translation(" ")}) == bilingual_cues(made, {})


def test_a_very_long_caption_is_laid_out_in_moderate_time() -> None:
    caption = make_caption("words and more words, " * 60)
    cues = bilingual_cues([caption], {1: make_translation("Wörter und noch mehr Wörter, " * 60)})
    assert len(cues) > 30


def test_a_translation_as_a_caption_shares_its_time_by_length() -> None:
    said = as_caption(make_caption("One two.", 10.0, pace=1.0), make_translation("Eins zwei drei"))
    assert [word.text for word in said.committed] == ["Eins", " zwei", " drei"]
    assert (said.committed[0].start, said.committed[-1].end, said.language) == (10.0, 12.0, "de")
    assert all(first.end == second.start for first, second in pairwise(said.committed))


def test_every_format_holds_both_languages() -> None:
    made = [make_caption("R&D <b>."), make_caption("Two.", 5.0, id=2)]
    translations = {1: make_translation("F&E <b>."), 9: make_translation("Nobody's.", 9)}
    assert "\nR&D <b>.\n<i>F&E <b>.</i>\n" in to_srt(made, translations)
    assert "\nR&amp;D &lt;b&gt;.\n<lang de>F&amp;E &lt;b&gt;.</lang>\n" in to_vtt(made, translations)
    assert written(".txt", made, translations.values()) == "R&D <b>.\n> F&E <b>.\n\nTwo.\n"
    first, second = json.loads(written(".json", made, translations.values()))["captions"]
    assert first["translation"] == {"language": "de", "text": "F&E <b>."}
    assert "translation" not in second


def test_a_translation_cannot_forge_a_cue() -> None:
    srt = to_srt([make_caption("One.")], {1: make_translation("x\n\n9\n00:00:09,000 --> 00:00:10,000\ny")})
    assert len(TIME.findall(srt)) == 1


TALK: dict[int, tuple[str, float]] = {1: ("Good morning.", 0.0), 2: ("Bye.", 5.0)}


def test_each_language_gets_a_file_of_its_own(tmp_path: Path) -> None:
    made = [replace(make_caption(*said, id=id), language="en") for id, said in TALK.items()]
    translations = [make_translation("Guten Morgen."), make_translation("Tschüs.", 2)]
    paths = write(tmp_path / "talk.srt", made, translations, "separate")
    assert [path.name for path in paths] == ["talk.en.srt", "talk.de.srt"]
    assert paths[0].read_text() == to_srt(made, audio_seconds=3.0)
    assert "Guten Morgen." in paths[1].read_text()
    assert "morning" not in paths[1].read_text()
    assert TIME.findall(paths[0].read_text())[1][0:4] == TIME.findall(paths[1].read_text())[1][0:4]
    (_, german) = write(tmp_path / "talk.json", made, translations, "separate")
    record = json.loads(german.read_text())
    assert (record["language"], record["audio_seconds"]) == ("de", 3.0)


def test_case_the_last_bilingual_cue_ends_with_the_recording() -> None:
    made, translations = [make_caption("Bye.", 5.0)], {1: make_translation("Auf Wiedersehen, bis morgen.")}
    assert "--> 00:00:06,800" in to_srt(made, translations)
    assert "--> 00:00:05,900" in to_srt(made, translations, 5.9)
    assert "--> 00:00:05.900" in to_vtt(made, translations, 5.9)


def test_files_of_their_own_never_write_over_each_other(tmp_path: Path) -> None:
    same = make_translation("Good morning.", language="en")
    paths = write(tmp_path / "talk.txt", [replace(make_caption("Good morning."), language="en")], [same], "separate")
    assert [path.name for path in paths] == ["talk.original.txt", "talk.en.txt"]
    assert write(tmp_path / "a.txt", [], [], "separate") == (tmp_path / "a.txt",)


def _visible(text: str) -> str:
    return "".join(character for character in printable(text) if not character.isspace() and cells(character))


def test_a_translation_of_marks_that_nobody_sees_takes_no_line() -> None:
    (cue,) = bilingual_cues([make_caption("Good morning.")], {1: make_translation("\N{SOFT HYPHEN}")})
    assert cue.lines == ("Good morning.",)
