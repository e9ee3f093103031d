"""`earshot translate`, and `--translate` of `earshot caption` and `earshot demo`."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.terminal import caption_run, translate_run
from app.terminal.cli import main
from engine.errors import EngineError, ModelError
from engine.process.messages import TranslationChoice
from engine.translate.for_files import CANDIDATES
from engine.translate.live import LiveTranslation
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_hearing import SENTENCE, say, scripted, write_wav
from tests.app.terminal.test_caption_printer import Screen, screen  # noqa: F401
from tests.app.terminal.test_cli_caption import one_line
from tests.language_models import write_language_model
from tests.scripted_translator import ScriptedTranslator
from tests.scripted_translator import translating as live_translation

FIELDS = ["type", "id", "revision", "text", "hidden", "source", "language", "final", "emitted_seconds"]
FIELDS += ["drafted", "accepted", "output", "forwards"]
COSTS = ["language", "updates", "drafted", "accepted", "output", "forwards", "seconds"]


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[TranslationChoice]:
    """Translations that the command line asks for, all of them by scripted translators."""
    asked: list[TranslationChoice] = []

    def load(choice: TranslationChoice) -> Callable[[], LiveTranslation]:
        asked.append(choice)
        return lambda: live_translation(ScriptedTranslator(choice.options))

    monkeypatch.setattr(caption_run, "load_translation", load)
    monkeypatch.setattr(translate_run, "load_translation", load)
    return asked


def type_in(monkeypatch: pytest.MonkeyPatch, text: bytes, *, terminal: bool = False) -> None:
    """Replace standard input with these bytes."""
    file = io.BytesIO(text)
    file.isatty = lambda: terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file, isatty=lambda: terminal))


# --- earshot translate ---


@pytest.mark.parametrize(("flags", "said"), [([], "Wir sind am Bahnhof."), (["--from", "en"], "WIR SIND AM BAHNHOF.")])
@pytest.mark.usefixtures("chosen")
def test_a_line_in_the_language_that_is_wanted_stays_as_it_is(
    flags: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"We are at the station.\nWir sind am Bahnhof.\n")
    assert main(["translate", "--to", "de", "--lines", *flags]) == 0
    assert capsys.readouterr().out.splitlines() == ["WE ARE AT THE STATION.", said]


@pytest.mark.usefixtures("chosen")
def test_standard_input_is_translated_sentence_by_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Good\nGood morning\nGood morning, all.\nWhere are you?\n")
    assert main(["translate", "--to", "de"]) == 0
    out, err = capsys.readouterr()
    assert out == "GOOD MORNING, ALL.\nWHERE ARE YOU?\n"
    assert one_line(err).startswith("Translated into German in ")
    assert "(6 updates)" in err


@pytest.mark.usefixtures("chosen")
def test_json_lines_tell_every_update_and_what_it_cost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Good\nGood morning\n")
    assert main(["translate", "--to", "de", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    *updates, summary = map(json.loads, out.splitlines())
    assert all(list(each) == FIELDS and each["type"] == "translation" for each in updates)
    assert [(each["text"], each["hidden"], each["final"]) for each in updates] == [
        ("", " GOOD", False), ("GOOD", " MORNING", False), ("GOOD MORNING", "", True),
    ]  # fmt: skip
    assert list(summary) == ["type", "translation"]
    assert list(summary["translation"]) == COSTS
    assert summary["translation"]["updates"] == 3


@pytest.mark.usefixtures("chosen")
def test_case_plain_lines_of_a_file_are_translated_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["I know.", "I know you.", "Yes.", "Yes, I do.", "No", "No way", "Thank you.", "Thank you very much."]
    file = tmp_path / "lines.txt"
    file.write_text("\n".join(lines))
    with file.open("rb") as redirected:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=redirected, isatty=lambda: False))
        for named in ([str(file)], ["--lines", str(file)], []):
            assert main(["translate", "--to", "de", *named]) == 0
            assert capsys.readouterr().out.splitlines() == [line.upper() for line in lines]


@pytest.mark.usefixtures("chosen")
def test_case_lines_are_numbered_from_one_as_captions_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Good.\nWhere are you?\n")
    assert main(["translate", "--to", "de", "--lines", "--json"]) == 0
    *updates, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert [each["id"] for each in updates] == [1, 2]


@pytest.mark.usefixtures("chosen")
def test_case_a_long_line_tells_how_much_of_it_is_translated(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    screen: Screen,  # noqa: F811
) -> None:
    monkeypatch.setattr(translate_run, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(ScriptedTranslator, "share_done", 0.4, raising=False)
    (tmp_path / "notes.txt").write_text("One. Two. Three.\n")
    command = ["translate", "--to", "de", str(tmp_path / "notes.txt")]
    assert main(command) == 0
    assert "40%" not in "".join(capsys.readouterr()), "nobody reads progress in a file"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(command) == 0
    *told, wiped = capsys.readouterr().err.split("\r\x1b[J")
    assert "40% of this line is translated …" in told
    assert wiped.startswith("Translated into German")
    seen: list[str] = []
    write = screen.write
    monkeypatch.setattr(screen, "write", lambda text: write(text) and seen.append(screen.text()))
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(command) == 0
    assert any("… 40%" in each for each in seen) and "40%" not in screen.text()


def test_only_text_that_comes_as_it_grows_is_translated_like_live_captions(
    chosen: list[TranslationChoice], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("One.\n")
    for flags, terminal in (([], False), (["--lines"], False), ([], True), ([str(tmp_path / "notes.txt")], False)):
        type_in(monkeypatch, b"Good\nGood morning\n", terminal=terminal)
        assert main(["translate", "--to", "de", *flags]) == 0
    assert [each.options.candidates for each in chosen] == [1, CANDIDATES, CANDIDATES, CANDIDATES]


@pytest.mark.usefixtures("chosen")
def test_lines_typed_at_a_terminal_are_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Good\nGood morning\n", terminal=True)
    assert main(["translate", "--to", "de"]) == 0
    assert capsys.readouterr().out == "GOOD\nGOOD MORNING\n"


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("typed", [False, True])
def test_on_a_screen_translations_grow_beneath_their_sentences(
    typed: bool,
    screen: Screen,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    type_in(monkeypatch, b"Where\nWhere are you?\n", terminal=typed)
    monkeypatch.setattr(sys, "stdout", screen)
    assert main(["translate", "--to", "de"]) == 0
    shown = "  WHERE\n  WHERE ARE YOU?" if typed else "Where are you?\n  WHERE ARE YOU?"
    assert screen.text() == shown


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00\x01\x02", b"\xff\xfe\n"])
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_what_is_no_text_is_one_line(
    data: bytes, flags: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, data)
    assert main(["translate", "--to", "de", *flags]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "standard input" in one_line(err)


@pytest.mark.usefixtures("chosen")
def test_what_comes_before_damage_is_translated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Good morning.\nGood\xff\n")
    assert main(["translate", "--to", "de", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-2])["text"] == "GOOD MORNING."
    assert one_line(err) == "earshot: standard input, line 2: this is not UTF-8 text."


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["--to", "de", "--bias", "1.5"], "--bias"),
        (["--to", "de", "--bias", "nan"], "--bias"),
        (["--to", "de", "--mask", "-1"], "--mask"),
        (["--to", ""], "--to"),
        ([], "--to"),
        (["--to", "de", "--translte"], "--translte"),
    ],
)
def test_bad_options_are_named_by_their_flag(
    arguments: list[str], flag: str, chosen: list[TranslationChoice], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["translate", *arguments]) == 2
    assert flag in one_line(capsys.readouterr().err)
    assert not chosen


@pytest.mark.parametrize("flag", [[], ["--glossary"]])
@pytest.mark.parametrize("name", ["missing.txt", ""])
def test_a_file_that_cannot_be_read_is_one_line(
    name: str, flag: list[str], tmp_path: Path, chosen: list[TranslationChoice],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["translate", "--to", "de", *flag, str(tmp_path / name)]) == 1
    told = one_line(capsys.readouterr().err)
    assert told.startswith("earshot: ") and str(tmp_path / name) in told
    assert not chosen, "no model is loaded for it"


def test_options_reach_the_translator(
    chosen: list[TranslationChoice], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "terms.txt").write_text("Earshot = Earshot\n")
    type_in(monkeypatch, b"Good.")
    flags = ["--to", "FR", "--from", "EN", "--bias", "0.3", "--mask", "2", "--translation-model", "big"]
    assert main(["translate", *flags, "--glossary", str(tmp_path / "terms.txt")]) == 0
    (choice,) = chosen
    assert choice.model == "big"
    options = choice.options
    assert (options.target, options.source, options.bias, options.mask) == ("fr", "en", 0.3, 2)
    assert options.glossary == (("Earshot", "Earshot"),)


class _ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.usefixtures("chosen")
def test_a_reader_that_leaves_is_no_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    type_in(monkeypatch, b"Good.\n")
    monkeypatch.setattr(sys, "stdout", _ClosedPipe())
    assert main(["translate", "--to", "de"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("signals", "code", "out"),
    [([signal.SIGINT], 0, "ONE\n"), ([signal.SIGINT, signal.SIGINT], 130, "")],
)
def test_ctrl_c_ends_the_text_and_a_second_one_everything(
    signals: list[signal.Signals], code: int, out: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    coming = iter(signals)

    def step() -> None:
        if (number := next(coming, None)) is not None:
            signal.raise_signal(number)

    translator = ScriptedTranslator(on_step=step)
    monkeypatch.setattr(translate_run, "load_translation", lambda choice: lambda: live_translation(translator))
    type_in(monkeypatch, b"One\nTwo\n")
    assert main(["translate", "--to", "de"]) == code
    assert capsys.readouterr().out == out


def _fail() -> None:
    raise EngineError("The model is gone.")


def test_a_translation_that_fails_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    translator = ScriptedTranslator(on_step=_fail)
    monkeypatch.setattr(translate_run, "load_translation", lambda choice: lambda: live_translation(translator))
    type_in(monkeypatch, b"One\n")
    assert main(["translate", "--to", "de"]) == 1
    assert one_line(capsys.readouterr().err) == "earshot: The model is gone."


def test_a_real_model_translates_and_refuses_what_it_does_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    taught = {"translates_from": ["en"], "translates_to": ["de", "fr"], "translation_instruction": "{target}"}
    folder = str(write_language_model(tmp_path / "model", earshot=taught))
    type_in(monkeypatch, b"Good morning.\n")
    assert main(["translate", "--to", "de", "--json", "--translation-model", folder]) == 0
    *updates, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert updates[-1]["final"]
    assert summary["translation"]["forwards"] > 0
    assert main(["translate", "--to", "ja", "--translation-model", folder]) == 2
    assert "--to must be one of de (German), fr (French)" in one_line(capsys.readouterr().err)
    assert main(["translate", "--to", "de", "--from", "ja", "--translation-model", folder]) == 2
    assert "--from must be one of en (English)" in one_line(capsys.readouterr().err)
    assert main(["translate", "--to", "de", "--translation-model", str(tmp_path / "none")]) == 1
    one_line(capsys.readouterr().err)


# --- earshot caption --translate ---


@pytest.fixture(scope="module")
def speech() -> Speech:
    return say()


@pytest.fixture(scope="module")
def talk(speech: Speech, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_wav(tmp_path_factory.mktemp("audio") / "talk.wav", speech.samples))


@pytest.fixture
def hearing(speech: Speech, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caption_run, "load_recognizer", lambda model: lambda options: scripted(speech))


@pytest.mark.usefixtures("hearing", "chosen")
class TestCaptions:
    def test_the_translation_stands_beneath_the_caption(self, talk: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["caption", talk, "--translate", "de"]) == 0
        out, err = capsys.readouterr()
        assert out == f"{SENTENCE}\n  {SENTENCE.upper()}\n"
        heard, translated = err.splitlines()
        assert "of audio heard in" in heard
        assert translated.startswith("Translated into German in ")
        assert "draft" not in translated

    def test_on_a_screen_both_grow_in_place(
        self,
        talk: str,
        screen: Screen,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(["caption", talk, "--translate", "de"]) == 0
        assert screen.text() == (
            "Good morning, everyone, and thank you\nvery much for coming.\n"
            "  GOOD MORNING, EVERYONE, AND THANK YOU\n  VERY MUCH FOR COMING."
        )

    def test_json_lines_hold_captions_and_translations_in_the_order_of_their_times(
        self, talk: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["caption", talk, "--translate", "de", "--json"]) == 0
        *lines, summary = map(json.loads, capsys.readouterr().out.splitlines())
        updates = [line for line in lines if line["type"] == "translation"]
        assert all(list(each) == FIELDS for each in updates)
        assert (updates[-1]["final"], updates[-1]["text"], updates[-1]["source"]) == (True, SENTENCE.upper(), SENTENCE)
        revisions = {(line["id"], line["revision"]) for line in lines if line["type"] == "caption"}
        assert {(each["id"], each["revision"]) for each in updates} <= revisions
        assert [line["emitted_seconds"] for line in lines] == sorted(line["emitted_seconds"] for line in lines)
        assert list(summary["translation"]) == COSTS

    def test_every_export_holds_both_languages(
        self, talk: str, tmp_path: Path, chosen: list[TranslationChoice]
    ) -> None:
        outs = [tmp_path / f"out{ending}" for ending in (".srt", ".vtt", ".txt", ".json")]
        flags = [part for out in outs for part in ("--export", str(out))]
        assert main(["caption", talk, "--translate", "de", *flags]) == 0
        for out in outs[:2]:
            blocks = [block.splitlines()[-2:] for block in out.read_text().split("\n\n") if "-->" in block]
            assert " ".join(above for above, _ in blocks) == SENTENCE
            assert " ".join(re.sub(r"<[^>]+>", "", below) for _, below in blocks) == SENTENCE.upper()
        assert outs[2].read_text() == f"{SENTENCE}\n> {SENTENCE.upper()}\n"
        assert [each.options.candidates for each in chosen] == [CANDIDATES]  # as carefully as it is heard
        assert json.loads(outs[3].read_text())["captions"][0]["translation"]["text"] == SENTENCE.upper()

    def test_each_language_may_have_a_file_of_its_own(self, talk: str, tmp_path: Path) -> None:
        assert main(["caption", talk, "--translate", "de", "--separate", "--export", str(tmp_path / "out.txt")]) == 0
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
            "out.en.txt": f"{SENTENCE}\n",
            "out.de.txt": f"{SENTENCE.upper()}\n",
        }

    def test_the_demo_is_translated(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["demo", "--fast", "--json", "--translate", "de"]) == 0
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["translation"]["language"] == "de"

    @pytest.mark.parametrize(
        ("command", "problem"),
        [
            (["caption", "x.wav", "--bias", "0.1"], "--bias is about translation: add --translate CODE."),
            (["caption", "x.wav", "--mask", "0"], "--mask is about translation"),
            (["caption", "x.wav", "--translation-model", "x"], "--translation-model is about translation"),
            (["caption", "x.wav", "--translate", "de", "--mask", "99"], "--mask must be between 0 and 20"),
            (["caption", "x.wav", "--separate"], "--separate is for the export of a translation"),
            (["caption", "x.wav", "--translate", "de", "--separate"], "--separate is for the export of a translation"),
            (["demo", "--window", "--translate", "de"], "in the window the language is chosen there"),
        ],
    )
    def test_options_that_make_no_sense_are_one_line(
        self, command: list[str], problem: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(command) == 2
        assert problem in one_line(capsys.readouterr().err)


@pytest.mark.usefixtures("hearing")
class TestTranslationsThatFail:
    def run(
        self, talk: str, flags: list[str], load: Callable[[TranslationChoice], Callable[[], LiveTranslation]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> int:  # fmt: skip
        monkeypatch.setattr(caption_run, "load_translation", load)
        return main(["caption", talk, "--translate", "de", *flags])

    @pytest.mark.parametrize("after", [0, 3])
    def test_captions_go_on_and_the_reason_is_told(
        self, after: int, talk: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        coming = iter([None] * after)
        step = lambda: next(coming, 0) is None or _fail()  # noqa: E731
        out = tmp_path / "out.srt"
        translator = ScriptedTranslator(on_step=step)
        assert (
            self.run(talk, ["--export", str(out)], lambda choice: lambda: live_translation(translator), monkeypatch)
            == 0
        )
        printed, err = capsys.readouterr()
        assert printed == SENTENCE + "\n"
        assert "earshot: Translation stopped, and captions go on without it: The model is gone.\n" in err
        assert "coming" in out.read_text()

    def test_captions_in_a_language_the_model_does_not_know_wait_for_nothing(
        self, talk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        translator = ScriptedTranslator(sources=("fr",))
        assert self.run(talk, [], lambda choice: lambda: live_translation(translator), monkeypatch) == 0
        out, err = capsys.readouterr()
        assert out == SENTENCE + "\n"
        assert "captions in English stay as they are" in err

    def test_a_model_that_cannot_be_loaded_is_told_before_anything_is_heard(
        self, talk: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def load(choice: TranslationChoice) -> Callable[[], LiveTranslation]:
            raise ModelError(f"There is no model called {choice.model}.")

        assert self.run(talk, [], load, monkeypatch) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert one_line(err) == "earshot: There is no model called starter-language."
