"""`earshot ask` in writing: what is printed, what is written, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
import soundfile

from app.preferences.preferences import Models, Preferences, Sound
from app.preferences.reading import written
from app.terminal import ask_run
from app.terminal.ask_run import Choice
from app.terminal.cli import main
from engine.assistant.assistant import AssistantSession
from engine.clock import Clock
from engine.options import AnswerOptions, AssistantOptions, TurnOptions, VoiceOptions
from engine.process import loading
from engine.process.messages import Ready
from tests.app.terminal.test_caption_printer import Screen, screen  # noqa: F401
from tests.app.terminal.test_cli_caption import one_line
from tests.app.terminal.test_cli_translate import type_in
from tests.scripted_model import ScriptedModel

FIRST, SECOND = "This is the first sentence.", "And here is the second one."
BOTH = f"{FIRST} {SECOND}"


class Assistants:
    """Assistants that answer every question in capitals.

    Attributes:
        choices: what they were to be like, with what was asked of the loading.
        sessions: those that were made.
        on_reply: called with the question at each step of an answer, for what happens meanwhile.
    """

    def __init__(self) -> None:
        self.choices: list[tuple[Choice, dict[str, bool]]] = []
        self.sessions: list[AssistantSession] = []
        self.on_reply: Callable[[str], object] = lambda question: None

    def reply(self, question: str) -> str:
        self.on_reply(question)
        return question.upper()


@pytest.fixture
def assistants(monkeypatch: pytest.MonkeyPatch) -> Assistants:
    """Sessions of the command line, real but for a scripted model."""
    made = Assistants()
    load_session = ask_run.load_session

    def load(choice: Choice, clock: Clock, **wanted: bool) -> AssistantSession:
        made.choices.append((choice, wanted))
        made.sessions.append(load_session(choice, clock, **wanted))
        return made.sessions[-1]

    monkeypatch.setattr(ask_run, "load_session", load)
    monkeypatch.setattr(
        loading, "load_assistant", lambda name: (Ready("scripted", "cpu", 0.0), ScriptedModel(made.reply))
    )
    return made


def after(calls: int, happens: Callable[[], object]) -> Callable[[str], None]:
    """Let something happen at one of many calls."""
    counted = count(1)
    return lambda question: happens() and None if next(counted) == calls else None


class TestOneQuestion:
    def test_the_answer_alone_is_printed(self, assistants: Assistants, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", BOTH]) == 0
        out, err = capsys.readouterr()
        assert out == f"{BOTH.upper()}\n"
        assert one_line(err).startswith("1 answer to 1 question; first sentence ")

    @pytest.mark.usefixtures("assistants")
    def test_a_transcript_is_asked_about(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "talk.txt"
        path.write_text("[0:08] Ben: Okay, then we take the blue one.\n[0:12] Anna: I'll order it.\n", encoding="utf-8")
        assert main(["ask", "--transcript", str(path), "What was decided?"]) == 0
        assert "Okay, then we take the blue one." in (told := capsys.readouterr().out)
        assert "order it" not in told
        assert main(["ask", "--transcript", str(tmp_path / "none.srt"), "What was decided?"]) == 1
        capsys.readouterr()
        assert main(["ask", "--transcript", str(path), "--model", "nosuch", "What was decided?"]) == 2
        assert one_line(capsys.readouterr().err).startswith("earshot: --model is about hearing: ")

    @pytest.mark.usefixtures("assistants")
    def test_control_characters_are_no_part_of_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", " Who\n\x1b[2J are\tyou? "]) == 0
        assert capsys.readouterr().out == "WHO [2J ARE YOU?\n"

    @pytest.mark.usefixtures("assistants")
    def test_punctuation_is_no_question(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", "?!"]) == 0
        told = "“?!” holds no word, so there is nothing to answer.\nNo question was asked.\n"
        assert capsys.readouterr() == ("", f"earshot: {told}")

    @pytest.mark.usefixtures("assistants")
    def test_json_lines_tell_every_event_and_the_summary(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", BOTH, "--json"]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        *events, turn, summary = map(json.loads, out.splitlines())
        assert [event["type"] for event in events] == ["heard", "sentence", "sentence"]
        assert (turn["type"], turn["prompt"], turn["reply"]) == ("turn", BOTH, BOTH.upper())
        assert (turn["first_sound_seconds"], turn["output"]) == (None, len(BOTH))
        assert turn["forwards"] >= turn["forwards_to_first_sentence"] >= len(FIRST)
        times = [event["emitted_seconds"] for event in (*events, turn)]
        assert times == sorted(times)
        assert (summary["type"], summary["turns"], summary["answered"]) == ("summary", 1, 1)

    def test_on_a_screen_sentences_appear_as_they_come(
        self,
        assistants: Assistants,
        screen: Screen,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        shown: list[str] = []
        assistants.on_reply = lambda question: shown.append(screen.text())
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(["ask", BOTH]) == 0
        stages = list(dict.fromkeys([*shown, screen.text()]))
        assert stages == ["", "{Thinking…}", FIRST.upper(), "THIS IS THE FIRST SENTENCE. AND HERE IS\nTHE SECOND ONE."]


class TestTyping:
    def test_every_line_of_a_pipe_is_a_question(
        self, assistants: Assistants, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        type_in(monkeypatch, "Bread.\n\nWie heißt du?\n".encode())
        assert main(["ask"]) == 0
        assert capsys.readouterr().out == "You: Bread.\nEarshot: BREAD.\nYou: Wie heißt du?\nEarshot: WIE HEISST DU?\n"
        assert len(assistants.sessions) == 1

    @pytest.mark.usefixtures("assistants")
    def test_at_a_terminal_a_prompt_asks_for_each(
        self,
        screen: Screen,  # noqa: F811
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        class Keyboard(io.BytesIO):
            """A terminal's input: what is typed shows on the screen."""

            def readline(self, size: int | None = -1) -> bytes:
                line = super().readline(size)
                screen.write(line.decode())
                return line

            def isatty(self) -> bool:
                return True

        keyboard = Keyboard(b"Bread.\nBye.\n")
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=keyboard, isatty=keyboard.isatty))
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(["ask"]) == 0
        assert screen.text() == "You: Bread.\nEarshot: BREAD.\nYou: Bye.\nEarshot: BYE."

    @pytest.mark.usefixtures("assistants")
    def test_a_dash_is_standard_input(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        type_in(monkeypatch, b"Bread.\n")
        assert main(["ask", "-"]) == 0
        assert capsys.readouterr().out == "You: Bread.\nEarshot: BREAD.\n"

    @pytest.mark.usefixtures("assistants")
    def test_leaving_at_once_is_no_failure(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        type_in(monkeypatch, b"", terminal=True)
        assert main(["ask"]) == 0
        assert capsys.readouterr().err == "No question was asked.\n"

    @pytest.mark.usefixtures("assistants")
    @pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00\x01", b"\xff\xfe\n"])
    def test_what_is_no_text_is_one_line(
        self, data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        type_in(monkeypatch, data)
        assert main(["ask"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "standard input" in one_line(err)

    @pytest.mark.usefixtures("assistants")
    def test_what_comes_before_damage_is_answered(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        type_in(monkeypatch, b"Bread.\nGood\xff\n")
        assert main(["ask"]) == 1
        out, err = capsys.readouterr()
        assert out == "You: Bread.\nEarshot: BREAD.\n"
        assert err.splitlines()[-1] == "earshot: standard input, line 2: this is not UTF-8 text."

    def test_without_standard_input_there_is_no_conversation(
        self, assistants: Assistants, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        assert main(["ask"]) == 1
        assert "no standard input" in one_line(capsys.readouterr().err)
        assert not assistants.sessions


class TestCtrlC:
    def test_it_stops_the_answer_and_not_the_conversation(
        self, assistants: Assistants, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assistants.on_reply = after(len(FIRST) + 9, lambda: signal.raise_signal(signal.SIGINT))
        type_in(monkeypatch, f"{BOTH}\n{SECOND}\n".encode())
        assert main(["ask"]) == 0
        out, err = capsys.readouterr()
        asked, stopped, *others = out.splitlines()
        assert asked == f"You: {BOTH}"
        assert stopped.endswith(" —")
        assert f"Earshot: {BOTH.upper()}".startswith(stopped.removesuffix(" —"))
        assert others == [f"You: {SECOND}", f"Earshot: {SECOND.upper()}"]
        assert err.startswith("2 answers to 2 questions")

    def test_a_second_one_ends_everything(
        self, assistants: Assistants, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assistants.on_reply = lambda question: [signal.raise_signal(signal.SIGINT) for _ in range(2)]
        type_in(monkeypatch, f"{BOTH}\n".encode())
        assert main(["ask"]) == 130
        assert capsys.readouterr() == ("", "")

    @pytest.mark.usefixtures("assistants")
    def test_while_a_question_is_awaited_it_ends_the_conversation(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        class Keyboard(io.BytesIO):
            def readline(self, size: int | None = -1) -> bytes:
                line = super().readline(size)
                if not line:
                    signal.raise_signal(signal.SIGINT)
                return line

        type_in(monkeypatch, b"")
        monkeypatch.setattr(sys.stdin, "buffer", Keyboard(b"One\n"))
        assert main(["ask"]) == 0
        assert capsys.readouterr().out == "You: One\nEarshot: ONE\n"


class TestSpeechFiles:
    def test_what_is_said_is_written(
        self, assistants: Assistants, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "speech.wav"
        assert main(["ask", BOTH, "--speech", str(path)]) == 0
        assert 2 < soundfile.info(path).duration < 6
        assert assistants.choices[0][1] == {"hears": False, "voiced": True}
        assert "first sound" in one_line(capsys.readouterr().err)

    @pytest.mark.usefixtures("assistants")
    def test_where_nothing_is_said_there_is_no_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", "...", "--speech", str(tmp_path / "speech.wav")]) == 0
        assert "Nothing was said" in capsys.readouterr().err
        assert not list(tmp_path.iterdir())

    def test_without_a_use_for_it_there_is_no_voice(self, assistants: Assistants) -> None:
        assert main(["ask", FIRST]) == 0
        assert assistants.choices[0][1] == {"hears": False, "voiced": False}

    def test_a_missing_folder_is_told_before_any_work(
        self, assistants: Assistants, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["ask", FIRST, "--speech", str(tmp_path / "gone" / "a.wav")]) == 1
        assert "does not exist" in one_line(capsys.readouterr().err)
        assert not assistants.sessions

    @pytest.mark.usefixtures("assistants")
    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_a_full_disk_loses_no_answer(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "full.wav").symlink_to("/dev/full")
        assert main(["ask", FIRST, "--speech", str(tmp_path / "full.wav")]) == 1
        out, err = capsys.readouterr()
        assert out == f"{FIRST.upper()}\n"
        assert err.endswith(f"earshot: Cannot write {tmp_path / 'full.wav'}: the disk is full.\n")

    @pytest.mark.usefixtures("assistants")
    def test_an_unknown_speaker_is_answered_with_those_there_are(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "settings.json").write_text('{"assistant": {"voice": {"voice": "espeak", "speaker": "klingon"}}}')
        settings = ["--settings", str(tmp_path / "settings.json")]
        assert main(["ask", FIRST, "--speech", str(tmp_path / "a.wav"), *settings]) == 2
        complaint = one_line(capsys.readouterr().err)
        assert complaint.startswith("earshot: speaker must be one of")
        assert "en-us" in complaint


class _ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


class TestOutputThatBreaks:
    @pytest.mark.usefixtures("assistants")
    def test_a_reader_that_leaves_is_no_error(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdout", _ClosedPipe())
        assert main(["ask", FIRST]) == 0
        assert capsys.readouterr().err == ""

    @pytest.mark.usefixtures("assistants")
    def test_it_keeps_no_speech_from_being_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", _ClosedPipe())
        assert main(["ask", FIRST, "--json", "--speech", str(tmp_path / "speech.wav")]) == 0
        assert soundfile.info(tmp_path / "speech.wav").duration > 1


@pytest.mark.usefixtures("assistants")
def test_case_a_line_without_a_word_is_answered_in_a_conversation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Hello there.\n\n???\nWho is it?\n")
    assert main(["ask"]) == 0
    err = capsys.readouterr().err
    assert err.count("holds no word") == 1 and "“???” holds no word, so there is nothing to answer." in err


@pytest.mark.usefixtures("assistants")
@pytest.mark.parametrize(("terminal", "told"), [(False, "A timer rings only while Earshot runs"), (True, "is set for")])
def test_case_a_timer_is_set_only_where_somebody_stays_to_hear_it(
    terminal: bool, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_in(monkeypatch, b"Set a timer for 5 minutes.\n", terminal=terminal)
    assert main(["ask"]) == 0
    assert told in capsys.readouterr().out


def test_case_the_first_question_finds_everything_loaded(
    assistants: Assistants, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[bool] = []
    warm_up = AssistantSession.warm_up
    monkeypatch.setattr(AssistantSession, "warm_up", lambda self: warmed.append(True) or warm_up(self))
    asked: list[bool] = []
    ask = AssistantSession.ask
    monkeypatch.setattr(AssistantSession, "ask", lambda self, text: asked.append(bool(warmed)) or ask(self, text))
    assert main(["ask", "Who is it?", "--json"]) == 0
    *_, turn, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert asked == [True] and turn["turn"] == summary["turns"] == 1
    (session,) = assistants.sessions
    assert [each.user for each in session.history] == ["Who is it?"], "the warming up is no part of the conversation"


def test_options_reach_the_assistant(assistants: Assistants, tmp_path: Path) -> None:
    flags = ["--verifier", "top-k", "--no-speculation", "--voice", "espeak", "--assistant-model", "big"]
    assert main(["ask", FIRST, "--speech", str(tmp_path / "a.wav"), *flags]) == 0
    ((choice, _),) = assistants.choices
    assert choice.options == AssistantOptions(AnswerOptions(verifier="top-k", speculate=False), VoiceOptions("espeak"))
    assert choice.assistant_model == "big"


def test_settings_reach_the_assistant_and_what_is_given_on_the_command_line_wins(
    assistants: Assistants, tmp_path: Path
) -> None:
    answer = AnswerOptions(verifier="biased", bias=0.3, generation="jacobi", branches=3, reply_tokens=9)
    options = AssistantOptions(answer, VoiceOptions("system", "Anna", 200), TurnOptions(push_to_talk=True))
    settings = Preferences(assistant=options, models=Models(assistant="small"), sound=Sound(output="Headset"))
    file = tmp_path / "settings.json"
    file.write_text(written(settings))
    assert main(["ask", FIRST, "--settings", str(file)]) == 0
    given = ["--verifier", "top-k", "--voice", "espeak", "--speech", str(tmp_path / "a.wav")]
    assert main(["ask", FIRST, "--settings", str(file), *given]) == 0
    (saved, _), (changed, _) = assistants.choices
    typed = replace(options, turns=TurnOptions())  # no key is held where nobody speaks
    assert (saved.options, saved.assistant_model, saved.output) == (typed, "small", "Headset")
    espeak = VoiceOptions("espeak", None, 200)
    assert changed.options == replace(typed, answer=replace(answer, verifier="top-k"), voice=espeak)


def test_without_options_everything_is_as_usual(assistants: Assistants) -> None:
    assert main(["ask", FIRST]) == 0
    assert assistants.choices[0][0].options == AssistantOptions()


def test_a_model_that_fails_is_told_and_the_conversation_goes_on(
    assistants: Assistants, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise RuntimeError("the model is gone")

    assistants.on_reply = lambda question: fail() if question == FIRST else None
    type_in(monkeypatch, f"{FIRST}\n{SECOND}\n".encode())
    assert main(["ask"]) == 0
    out, err = capsys.readouterr()
    assert out == f"You: {FIRST}\nEarshot: (no answer)\nYou: {SECOND}\nEarshot: {SECOND.upper()}\n"
    assert "earshot: The assistant's answer broke off. RuntimeError: the model is gone.\n" in err


def test_a_model_that_is_missing_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", FIRST, "--assistant-model", str(tmp_path / "none")]) == 1
    assert str(tmp_path / "none") in one_line(capsys.readouterr().err)
