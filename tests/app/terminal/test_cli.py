"""The command line as a whole: help, usage errors, and the commands that need no audio."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from app.preferences.preferences import Preferences
from app.preferences.preferences_file import export_preferences
from app.sound.audio_sources import demo_clip
from app.terminal import caption_run, cli
from app.terminal.cli import main
from app.terminal.commands import window
from app.terminal.commands.caption import caption_options
from app.terminal.commands.translation_options import translation_choice
from engine.machine.pace import MachinePace
from engine.options import CaptionOptions
from engine.translate.by_ear import EarTranslation
from engine.translate.languages import code_of, spoken_code
from tests.hear.planted import PlantedRecognizer

ROOT = Path(__file__).parents[3]


def one_line(text: str) -> str:
    """Assert that a text is a single line, and return it."""
    assert text.count("\n") == 1, text
    return text.strip()


def run(*arguments: str, code: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own, after some Python code."""
    script = f"import sys; {code}; from app.terminal.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script.replace("; ;", ";"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, timeout=400, check=False, env={**os.environ, **environment}
    )


def test_a_file_alone_opens_the_window_with_it_as_from_a_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[list[str]] = []
    monkeypatch.setattr("app.terminal.commands.window.open_window", lambda given: opened.append(given) or 0)
    assert main(["pyproject.toml"]) == 0
    assert opened == [["pyproject.toml"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["captoin", "x"], "there is no command 'captoin'; did you mean 'caption'? See 'earshot --help'."),
        (["models", "--language", "xx"], "--language must be the code of a language, such as de for German, not 'xx'."),
        (
            ["xyzzy"],
            "the commands are caption, notes, translate, ask, demo, doctor, models, profile, compare, "
            "window, toggle, mark, stop, status, bench, train",
        ),
        (["--colour"], "unknown option '--colour'"),
        (["caption"], "Nothing to caption: give a file, '-' for a pipe, --mic or --computer."),
        (["caption", "a.wav", "--mic"], "either a file or live sound (--mic, --computer)"),
        (["caption", "a.wav", "b.wav"], "unexpected argument 'b.wav'"),
        (["caption", "a.wav", "--exprot", "a.srt"], "unknown option '--exprot'; did you mean --export?"),
        (["caption", "a.wav", "--exp", "a.srt"], "unknown option '--exp'"),
        (["caption", "a.wav", "--export", "a.doc"], "must end in .srt, .vtt, .txt, .md, .docx, .csv, .rttm, .json"),
        (["caption", "a.wav", "--realtime", "--careful"], "not allowed with"),
        (["caption", "--mic", "--careful"], "--careful is for recordings"),
        (["caption", "a.wav", "--policy", "magic"], "invalid choice: 'magic'"),
        (["caption", "a.wav", "--beam", "0"], "--beam must be between 1 and 16, not 0."),
        (["caption", "a.wav", "--beam", "five"], "invalid int value: 'five'"),
        (["ask", "a", "b"], "unexpected argument 'b'"),
        (["ask", ""], "There is no question in an empty text."),
        (["ask", "Hi", "--mic"], "either a question, --audio FILE or --mic"),
        (["ask", "--audio", "a.wav", "--mic"], "either a question, --audio FILE or --mic"),
        (["ask", "Hi", "--realtime"], "--realtime is for recordings"),
        (["ask", "Hi", "--language", "de"], "--language is about hearing"),
        (["ask", "Hi", "--push-to-talk"], "--push-to-talk is for a microphone"),
        (["ask", "Hi", "--silent", "--aloud"], "--silent and --aloud contradict each other."),
        (["ask", "Hi", "--silent", "--speech", "a.wav"], "--silent and --speech contradict each other."),
        (["ask", "Hi", "--silent", "--voice", "espeak"], "--silent and --voice contradict each other."),
        (["ask", "Hi", "--voice", "espeak"], "--voice is about speaking: add --aloud or --speech OUT.wav."),
        (["ask", "Hi", "--verifier", "magic"], "invalid choice: 'magic'"),
        (["ask", "Hi", "--speech", "a.mp3"], "Cannot write speech to 'a.mp3': the name must end in .wav."),
        (["ask", "Hi", "--verfier", "greedy"], "did you mean --verifier?"),
        (["train"], "required: RECIPE"),
        (["train", "everything"], "invalid choice: 'everything'"),
        (["bench"], "required: BENCH"),
        (["bench", "captions", "--limit", "0"], "--limit must be at least 1, not 0."),
        (["doctor", "--jsn"], "did you mean --json?"),
        (["caption", "-e", "a.srt"], "unknown option '-e'. See 'earshot caption --help'."),
        (["window", "--model", "base"], "unknown option '--model'. See 'earshot window --help'."),
        (["translate", "--to", "de", "--model", "base"], "did you mean --translation-model?"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert expected in one_line(err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["gone.mp3"],
        ["caption", "gone.mp3"],
        ["caption", "gone.mp3", "--export", "gone.srt"],
        ["ask", "--audio", "gone.mp3"],
        ["translate", "--to", "de", "gone.mp3"],
    ],
)
def test_case_a_file_that_is_missing_is_told_in_one_wording(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.terminal.translate_run.load_translation", lambda choice: lambda: None)
    assert main(arguments) == 1
    assert capsys.readouterr() == ("", "earshot: There is no file gone.mp3.\n")


def test_case_a_folder_without_a_model_is_told_as_models_add_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sentence = f"There is no model in {tmp_path}. Choose the folder that holds its weights and config.json."
    assert main(["caption", str(demo_clip()), "--model", str(tmp_path)]) == 1
    assert sentence in capsys.readouterr().err
    assert main(["models", "add", str(tmp_path)]) == 1
    assert sentence in capsys.readouterr().err


def test_case_a_language_that_the_model_does_not_hear_names_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["caption", str(demo_clip()), "--language", "de"]) == 2
    told = one_line(capsys.readouterr().err)
    assert "starter hears English only, not 'de'" in told and "earshot models get base" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["caption", "GONE"],
        ["caption", "a.wav", "--settings", "GONE"],
        ["caption", "a.wav", "--translate", "de", "--glossary", "GONE"],
        ["caption", "a.wav", "--vocabulary", "GONE"],
        ["translate", "GONE", "--to", "de"],
        ["ask", "--audio", "GONE"],
        ["ask", "Who?", "--transcript", "GONE"],
        ["ask", "Hi", "--settings", "GONE"],
        ["notes", "GONE"],
        ["notes", "lab/people/README.md", "--template", "GONE"],
        ["compare", "GONE"],
        ["models", "add", "GONE"],
        ["GONE.txt"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_a_file_that_cannot_be_used_is_one_line_with_its_name_and_exit_code_1(
    arguments: list[str],
    kind: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    gone = tmp_path / "gone"
    if kind == "folder":
        gone.mkdir()
    assert main([each.replace("GONE", str(gone)) for each in arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert str(gone) in one_line(err)
    names_audio_or_text = arguments[0] in ("caption", "translate", "notes", "compare") and arguments[1] == "GONE"
    assert "is a folder" in err or kind == "missing" or not names_audio_or_text


def test_an_order_that_cannot_be_carried_out_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "No captions are running, so there is nothing to mark."
    monkeypatch.setattr("app.desktop.single_start.ask_running", lambda folder, order: {"problem": why})
    assert main(["mark"]) == 1
    assert capsys.readouterr() == ("", f"earshot: {why}\n")


@pytest.mark.parametrize("typed", ["EN", "en-US", "en_GB", "English"])
def test_case_a_language_is_given_by_code_region_or_name(typed: str) -> None:
    assert spoken_code(typed) == "en"
    assert code_of("German") == "de" and code_of("pt_BR") == "pt-br" and code_of("Klingon") == "klingon"
    options = cli.make_parser().parse_args(["caption", "x.wav", "--language", typed, "--translate", "german"])
    assert caption_options(options).language == "en"
    choice = translation_choice(options)
    assert choice is not None and choice.options.target == "de"


def test_settings_by_which_the_model_that_hears_translates_are_obeyed_unless_a_language_is_given() -> None:
    settings = replace(Preferences(), translates=True, translates_by_ear=True)
    parser = cli.make_parser()
    by_ear = translation_choice(parser.parse_args(["caption", "x.wav"]), "de", settings)
    assert by_ear is not None and by_ear.by_ear and by_ear.options.target == "en"
    given = translation_choice(parser.parse_args(["caption", "x.wav", "--translate", "fr"]), "de", settings)
    assert given is not None and not given.by_ear and given.options.target == "fr"
    asked: list[CaptionOptions] = []

    def make(options: CaptionOptions) -> PlantedRecognizer:
        asked.append(options)
        return PlantedRecognizer([], languages=("de", "en"))

    assert isinstance(caption_run._by_ear(make, CaptionOptions(), by_ear)(), EarTranslation)
    assert asked[0].decode.into_english


def test_a_model_of_english_alone_translates_nothing_by_ear(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    settings = tmp_path / "mine.json"
    export_preferences(replace(Preferences(), translates=True, translates_by_ear=True), settings)
    assert main(["caption", str(demo_clip()), "--settings", str(settings)]) == 2
    assert "starter translates nothing into English" in one_line(capsys.readouterr().err)


def test_case_settings_that_are_no_text_are_told_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for data, why in ((b"\xff\xfe\x00", "this is not UTF-8 text."), (b"{\n\n  a", "line 3 is not JSON.")):
        (tmp_path / "mine.json").write_bytes(data)
        assert main(["caption", str(demo_clip()), "--settings", str(tmp_path / "mine.json")]) == 1
        assert one_line(capsys.readouterr().err).endswith(f"as the window saves them: {why}")


def test_case_the_help_of_caption_is_short_and_help_all_tells_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["caption", "--help"]) == 0
    short = capsys.readouterr().out
    assert main(["caption", "--help-all"]) == 0
    whole = capsys.readouterr().out
    options = [set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)) for text in (short, whole)]
    assert len(options[0]) <= 20 and {"--mic", "--export", "--translate", "--careful", "--help-all"} <= options[0]
    assert {"--padding", "--policy", "--beam", "--bias"} <= options[1] - options[0]
    assert not any(flag in short for flag in ("--padding", "--reuse", "--mask"))


def test_case_every_command_of_the_help_keeps_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert re.search(r"^ +translate +translate lines of text$", capsys.readouterr().out, re.MULTILINE)
    assert main(["train", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(re.search(rf"^  {name} +\w.{{20}}", told, re.MULTILINE) for name in ("hush-word", "draft", "intents"))


def test_case_no_command_line_loads_the_window_s_libraries() -> None:
    found = run(
        code="import app.terminal.caption_run, app.terminal.ask_run, app.terminal.translate_run; "
        "print([name for name in ('PySide6', 'soundfile', 'jinja2') if name in sys.modules]); sys.exit()"
    )
    assert found.stdout == "[]\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["caption", "-h"],
        ["ask", "-h"],
        ["demo", "-h"],
        ["doctor", "-h"],
        ["models", "-h"],
        ["bench", "captions", "-h"],
    ],
)
def test_every_command_explains_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: earshot")
    assert err == ""


def test_the_help_of_captions_fits_two_screens(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["caption", "--help"]) == 0
    assert capsys.readouterr().out.count("\n") <= 2 * 50


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import atexit; heavy = {'numpy', 'mlx', 'soundfile', 'sounddevice', 'transformers', 'torch', 'PySide6'};"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))"
    )
    done = run("--help", code=code)
    assert done.returncode == 0
    assert done.stderr == "[]\n"


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert one_line(capsys.readouterr().out).startswith("earshot ")


def test_models_are_listed_with_what_is_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.pace.load_pace", lambda: MachinePace(94.0, False, {"base.en": 0.3}))
    assert main(["models"]) == 0
    text = capsys.readouterr().out
    hearing, others = text.split("Models that translate:\n")
    language, voice = others.split("Voices:\n")
    parts = {"hearing": hearing, "language": language, "voice": voice}
    assert hearing.startswith("Models that hear:\n")
    for part in (hearing.split("\n", 1)[1], language, voice):
        advice, heads = part.splitlines()[:2]
        assert advice.startswith("Recommended for this computer: ")
        assert heads.split()[:6] == ["name", "here", "download", "memory", "languages", "licence"]
    assert "tiny.en" in hearing and "starter-language" in language
    assert main(["models", "--json"]) == 0
    models = json.loads(capsys.readouterr().out)["models"]
    assert models[0]["name"] == "starter"
    assert all(isinstance(model["installed"], bool) for model in models)
    assert all(model["name"] in parts[model["kind"]] for model in models)


@pytest.mark.parametrize(("language", "into"), [("pt", "pt"), ("Italian", "it")])
def test_the_example_of_a_model_translates_into_a_language_that_it_knows(
    language: str, into: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.machine.pace.load_pace", lambda: MachinePace(94.0, False, {}))
    assert main(["models", "--use", "translation", "--language", language]) == 0
    named = f"earshot caption FILE --translate {into} --translation-model firefox-en-{into}"
    assert named in capsys.readouterr().out


def test_the_recipe_brings_its_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the recipes train with torch")
    assert main(["train", "starter-language", "--help"]) == 0
    assert "usage: earshot train starter-language" in capsys.readouterr().out
    assert main(["train", "starter-language", "--minuts", "3"]) == 2
    assert "earshot train starter-language:" in one_line(capsys.readouterr().err)


def test_training_for_no_time_is_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="the recipes train with torch")
    assert main(["train", "starter-language", "--data", str(tmp_path), "--minutes", "0"]) == 2
    assert "minutes and steps must be positive" in one_line(capsys.readouterr().err)


def test_training_without_torch_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("lab.recipes.language")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["train", "starter-language"]) == 1
    assert "needs the package torch" in one_line(capsys.readouterr().err)


def test_a_machine_without_a_display_gets_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.sys, "platform", "linux")
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert main([]) == 1
    assert "there is no display; 'earshot caption'" in one_line(capsys.readouterr().err)


def test_a_machine_without_qt_gets_one_line() -> None:
    done = run(code="sys.modules['PySide6'] = None", QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Qt is not installed" in one_line(done.stderr)


def test_a_display_that_does_not_answer_gets_one_line() -> None:
    done = run(QT_QPA_PLATFORM="no-such-platform")
    assert done.returncode == 1
    assert "The window cannot open" in one_line(done.stderr)


def test_qt_without_a_library_of_the_system_gets_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "app.start":
                raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.delitem(sys.modules, "app.start", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main([]) == 1
    assert "libEGL.so.1" in one_line(capsys.readouterr().err)


@pytest.mark.parametrize("kind", ["missing", "file", "empty", "truncated", "wrong shape", "pickle", "no config"])
def test_a_model_that_cannot_be_loaded_is_one_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["caption", str(demo_clip()), "--model", _bad_model(kind, tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert one_line(err).startswith("earshot: ")


def test_a_package_that_cannot_be_imported_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["caption", str(demo_clip())]) == 1
    told = one_line(capsys.readouterr().err)
    assert told.startswith("earshot: This installation of Earshot is damaged: ") and "onnxruntime" in told


def _bad_model(kind: str, folder: Path) -> str:
    from tests.random_whisper import write_random_model

    if kind == "missing":
        return "no-such-model"
    if kind == "empty":
        return str(folder)
    write_random_model(folder)
    weights, config = folder / "model.safetensors", folder / "config.json"
    if kind == "file":
        return str(weights)
    if kind == "truncated":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif kind == "wrong shape":
        config.write_text(config.read_text().replace('"n_audio_state": 64', '"n_audio_state": 128'))
    elif kind == "pickle":
        weights.unlink()
        (folder / "pytorch_model.bin").write_bytes(b"\x80\x02}q\x00.")
    else:
        config.unlink()
    return str(folder)


def test_a_language_that_the_model_does_not_know_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.random_whisper import write_random_model

    model = str(write_random_model(tmp_path, languages=["en", "de"]))
    clip = str(demo_clip())
    settings = tmp_path / "settings.json"
    settings.write_text('{"captions": {"allowed_languages": ["en", "tlh"]}}')
    for flags in (["--language", "tlh"], ["--settings", str(settings)]):
        assert main(["caption", clip, "--model", model, *flags]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "tlh" in one_line(err)
        assert "en" in err


def test_without_a_lab_bench_and_train_say_that_they_come_with_a_clone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    for name in ("bench", "train"):
        assert cli.main([name, "--help"]) == cli.EXIT_USAGE
        said = capsys.readouterr().err
        assert "comes with a clone of the repository" in said and len(said.splitlines()) == 1
    assert cli.main(["--help"]) == cli.EXIT_DONE
    assert "bench" not in capsys.readouterr().out


def test_the_lab_is_in_neither_wheel_nor_bundle() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["app", "engine"]
    assert "lab" not in (ROOT / "build.spec").read_text(encoding="utf-8")
