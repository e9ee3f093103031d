"""`earshot ask` with sound: a recording, a microphone, a loudspeaker."""

from __future__ import annotations

import json
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.sound import audio_devices
from app.terminal.cli import main
from engine import clock
from engine.assistant.responder import WARM_UP
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import read_audio
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.options import DecodeOptions
from engine.process import loading
from engine.process.messages import Ready
from tests.app.scripted_hearing import say, write_wav
from tests.app.terminal.test_cli_caption import BAD_FILES, one_line
from tests.hear.planted import FakeTimer
from tests.scripted_model import ScriptedModel
from tests.toy_models import TOY

BY_TOY = ("--model", str(TOY))
QUESTION, ANSWER = "Where does the river go?", "The river goes down to the sea."
STORY = "Tell me about the water."
LONG = (
    "The water comes from the hills. It goes through the town and under the old bridge. "
    "Boats go down with it every morning. In the evening they come back to the harbour. "
    "Fish live in it too. Nobody has counted all of them. "
)


def answer(question: str) -> str:
    return LONG if "water" in question.lower() else ANSWER


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32)


def recording(path: Path, *parts: str | float) -> str:
    """Write what is said, with silence of so many seconds between; return its path."""
    sounds = [say(part).samples if isinstance(part, str) else silence(part) for part in parts]
    return str(write_wav(path, np.concatenate(sounds)))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    """The scripted model that answers."""
    scripted = ScriptedModel(answer)
    monkeypatch.setattr(loading, "load_assistant", lambda name: (Ready("scripted", "cpu", 0.0), scripted))
    return scripted


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recording(tmp_path_factory.mktemp("audio") / "question.wav", 0.5, QUESTION, 1.0)


def heard(path: Path) -> str:
    """Return the text that our own hearing finds in a file."""
    recognizer = WhisperRecognizer(load_hearing_model(TOY), DecodeOptions())
    return recognizer.hear(read_audio(path), offset_seconds=0.0, prompt="", language="en").text.strip()


@pytest.fixture
def instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clock of a recording on which computation takes no time, so that a busy machine changes nothing."""
    monkeypatch.setattr(clock, "SimulatedClock", partial(clock.SimulatedClock, FakeTimer()))


@pytest.mark.usefixtures("model", "instant")
class TestRecordings:
    def test_a_spoken_question_gets_a_spoken_answer(
        self, question: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "reply.wav"
        by_espeak = ("--voice", "espeak")  # the only one that the toy has heard
        assert main(["ask", *BY_TOY, *by_espeak, "--audio", question, "--speech", str(path)]) == 0
        out, err = capsys.readouterr()
        assert out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"
        assert "first sound" in one_line(err)
        assert heard(path) == ANSWER

    def test_json_lines_tell_when_everything_was(self, question: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["ask", *BY_TOY, "--audio", question, "--json"]) == 0
        *events, turn, summary = map(json.loads, capsys.readouterr().out.splitlines())
        assert {event["type"] for event in events} >= {"heard", "endpoint", "sentence", "speech"}
        (endpoint,) = (event for event in events if event["type"] == "endpoint")
        assert turn["endpoint_seconds"] == pytest.approx(endpoint["seconds"] - endpoint["speech_end"], abs=0.002)
        assert turn["endpoint_seconds"] <= turn["first_sentence_seconds"] + 1 <= turn["first_sound_seconds"] + 1
        assert 0.2 < turn["endpoint_seconds"] < 1.5
        assert summary["first_sound_seconds"]["p50"] == turn["first_sound_seconds"]

    def test_without_speculation_the_answer_is_the_same(
        self, question: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["ask", *BY_TOY, "--audio", question, "--no-speculation", "--json"]) == 0
        *_, turn, summary = map(json.loads, capsys.readouterr().out.splitlines())
        assert (turn["reply"], turn["premade"], turn["drafted"]) == (ANSWER, False, 0)
        assert summary["wasted_tokens"] == 0

    def test_speech_over_the_answer_interrupts_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = recording(tmp_path / "talk.wav", 0.5, STORY, 5.0, QUESTION, 1.0)
        path = tmp_path / "reply.wav"
        assert main(["ask", *BY_TOY, "--audio", said, "--speech", str(path)]) == 0
        first, story, *others = capsys.readouterr().out.splitlines()
        assert first == f"You: {STORY}"
        assert story.endswith(" —")
        assert LONG.startswith(story.removeprefix("Earshot: ").removesuffix(" —"))
        assert others == [f"You: {QUESTION}", f"Earshot: {ANSWER}"]
        assert soundfile.info(path).duration < 12, "what was not said is not there"

    @pytest.mark.parametrize("kind", ["silence", "noise"])
    def test_where_nothing_is_asked_nothing_is_said(
        self, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        samples = silence(3) if kind == "silence" else np.random.default_rng(0).normal(0, 0.1, 3 * SAMPLE_RATE_HZ)
        path = write_wav(tmp_path / "quiet.wav", samples)
        assert main(["ask", *BY_TOY, "--audio", str(path)]) == 0
        assert capsys.readouterr() == ("", "No question was asked.\n")

    @pytest.mark.parametrize("name", BAD_FILES)
    def test_what_cannot_be_heard_is_one_line(
        self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        BAD_FILES[name](tmp_path / name)
        assert main(["ask", *BY_TOY, "--audio", str(tmp_path / name)]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert name in one_line(err)

    def test_a_recording_that_breaks_off_is_answered_first(
        self, question: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        cut = tmp_path / "cut.wav"
        cut.write_bytes(Path(question).read_bytes()[:-8000])
        assert main(["ask", *BY_TOY, "--audio", str(cut)]) == 1
        out, err = capsys.readouterr()
        assert out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"
        assert err.endswith("bytes are there. What can be heard of it was answered.\n")

    @pytest.mark.parametrize(("signals", "code", "turns"), [(1, 0, 1), (2, 130, 0)])
    def test_ctrl_c_ends_the_recording_and_a_second_one_everything(
        self, signals: int, code: int, turns: int, model: ScriptedModel, question: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        coming = [signal.SIGINT] * signals

        def interrupted(heard: str) -> str:
            while coming and heard not in WARM_UP:
                signal.raise_signal(coming.pop())
            return answer(heard)

        model.reply = interrupted
        assert main(["ask", *BY_TOY, "--audio", question, "--json"]) == code
        kinds = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
        assert kinds.count("turn") == turns

    def test_without_a_loudspeaker_the_answer_is_written(
        self, question: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(sys.modules, "sounddevice", None)
        assert main(["ask", QUESTION, "--aloud"]) == 0
        out, err = capsys.readouterr()
        assert out == f"{ANSWER}\n"
        assert err.count("PortAudio") == 1
        assert main(["ask", *BY_TOY, "--audio", question, "--aloud"]) == 0
        assert capsys.readouterr().out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"

    def test_without_a_microphone_there_is_no_conversation(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(audio_devices, "list_input_devices", lambda: ())
        assert main(["ask", *BY_TOY, "--mic"]) == 1
        assert "or ask in writing instead" in one_line(capsys.readouterr().err)
