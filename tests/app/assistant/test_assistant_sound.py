"""A conversation by a real microphone and a real loudspeaker, which are PulseAudio's."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pytestqt.qtbot import QtBot

from app.assistant.assistant_state import AssistantState
from app.assistant.exchange import Phase
from app.assistant.live_assistant import LiveAssistant
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.audio import SAMPLE_RATE_HZ
from engine.process.process import serve
from engine.turns import Turn
from tests.app.assistant.conftest import PATIENCE, turns_of
from tests.app.assistant.scripted_assistant import ANSWER, LONG, QUESTION, STORY, ScriptedAnswers
from tests.app.pulse import MICROPHONE, Pulse, private_pulse
from tests.app.scripted_hearing import say, write_wav
from tests.toy_models import TOY

pytestmark = pytest.mark.realtime

GREETING = "How are you today?"
BLOCK_SAMPLES, AUDIBLE = 320, 1e-3


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[Pulse]:
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder) as running:
        yield running


@pytest.fixture
def aloud(pulse: Pulse, settings: Settings) -> Settings:
    """Preferences by which the fake microphone is listened to with the toy, and answers are spoken."""

    def set_up(now: Preferences) -> Preferences:
        models, sound = replace(now.models, hearing=str(TOY)), replace(now.sound, input=MICROPHONE)
        return replace(now, models=models, sound=sound, behaviour=replace(now.behaviour, speaks=True))

    settings.alter(set_up)
    return settings


@contextmanager
def conversing(settings: Settings, answers: ScriptedAnswers | None = None) -> Iterator[LiveAssistant]:
    """Run an assistant that answers with the starter, or by a script if one is given."""
    client = EngineClient(serve=partial(serve, load_assistant=answers))
    assistant = LiveAssistant(client, settings)
    client.setParent(assistant)
    try:
        yield assistant
    finally:
        assistant.shut_down()
        assistant.deleteLater()


@contextmanager
def recorded(path: Path) -> Iterator[None]:
    """Write what the loudspeaker plays to a file, 16 kHz mono."""
    form = ["--rate=16000", "--channels=1", "--format=float32le", "--file-format=wav", "--latency-msec=20"]
    with subprocess.Popen(["parecord", "--device=speakers.monitor", *form, str(path)]) as recorder:
        try:
            yield
        finally:
            recorder.terminate()


def reach(assistant: LiveAssistant, state: AssistantState, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: assistant.state is state, timeout=PATIENCE)


def listen(assistant: LiveAssistant, qtbot: QtBot) -> None:
    """Open the microphone, and wait until it is heard."""
    assistant.open_microphone()
    heard = (AssistantState.LISTENING, AssistantState.NO_SOUND)  # nothing but zeros, while nobody speaks
    qtbot.waitUntil(lambda: assistant.state in heard, timeout=PATIENCE)


def wav_of(text: str, path: Path, before_seconds: float = 0.2) -> Path:
    before = np.zeros(round(before_seconds * SAMPLE_RATE_HZ), np.float32)
    sound = np.concatenate([before, say(text).samples, np.zeros(SAMPLE_RATE_HZ, np.float32)])
    return write_wav(path, sound)


def sounding_seconds(path: Path) -> float:
    """Return for how many seconds a recording sounds. On a busy machine it breaks off repeatedly, even within words."""
    samples = soundfile.read(path, dtype="float32")[0]
    blocks = samples[: len(samples) // BLOCK_SAMPLES * BLOCK_SAMPLES].reshape(-1, BLOCK_SAMPLES)
    return float(np.sum(np.abs(blocks).max(axis=1) > AUDIBLE)) * BLOCK_SAMPLES / SAMPLE_RATE_HZ


def test_a_question_at_the_microphone_is_answered_aloud_and_once_more(
    aloud: Settings, pulse: Pulse, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "reply.wav"
    with conversing(aloud) as assistant:
        turns = turns_of(assistant)
        listen(assistant, qtbot)
        with recorded(path), pulse.speak(wav_of(GREETING, tmp_path / "question.wav")):
            reach(assistant, AssistantState.SPEAKING, qtbot)
            qtbot.waitUntil(lambda: bool(turns), timeout=PATIENCE)
            qtbot.waitUntil(lambda: assistant.state is not AssistantState.SPEAKING, timeout=PATIENCE)
        (turn,) = turns
        assert turn.reply.startswith("Thanks for asking")
        assert turn.ended == "end"
        assert turn.stats.first_sound_seconds is not None
        assert sounding_seconds(path) > 0.5, "the answer was heard from the loudspeaker"
        assert assistant.can_replay(turn.turn)
        assistant.replay(turn.turn)
        reach(assistant, AssistantState.REPLAYING, qtbot)
        assistant.stop()
        qtbot.waitUntil(lambda: assistant.state is not AssistantState.REPLAYING, timeout=PATIENCE)


def test_speech_over_the_answer_silences_it_and_is_answered(
    aloud: Settings, pulse: Pulse, tmp_path: Path, qtbot: QtBot
) -> None:
    with conversing(aloud, ScriptedAnswers()) as assistant:
        turns: list[Turn] = turns_of(assistant)
        listen(assistant, qtbot)
        assistant.ask(STORY)
        reach(assistant, AssistantState.SPEAKING, qtbot)
        late = wav_of(QUESTION, tmp_path / "question.wav", 1.5)  # at once it would go on with the first turn
        with pulse.speak(late):
            qtbot.waitUntil(lambda: any(turn.turn == 2 for turn in turns), timeout=PATIENCE)
        story = [turn for turn in turns if turn.turn == 1][-1]
        assert story.ended == "interrupted"
        assert LONG.startswith(story.heard)
        assert len(story.heard) < len(LONG.strip())
        assert turns[-1].reply == ANSWER
        assert [each.was_cut for each in assistant.conversation.exchanges] == [True, False]


def test_the_stop_button_silences_the_answer_for_good(
    aloud: Settings, pulse: Pulse, tmp_path: Path, qtbot: QtBot
) -> None:
    with conversing(aloud, ScriptedAnswers()) as assistant:
        turns = turns_of(assistant)
        assistant.ask(STORY)
        reach(assistant, AssistantState.SPEAKING, qtbot)
        qtbot.waitUntil(lambda: assistant._player.played_seconds > 0.5, timeout=PATIENCE)
        assistant.stop()
        qtbot.waitUntil(lambda: bool(turns) and turns[-1].ended == "interrupted", timeout=PATIENCE)
        reach(assistant, AssistantState.READY, qtbot)
        assert LONG.startswith(turns[-1].heard)
        assert 0 < len(turns[-1].heard) < len(LONG.strip())


def test_an_answer_that_a_typed_question_cuts_short_keeps_its_text(aloud: Settings, pulse: Pulse, qtbot: QtBot) -> None:
    with conversing(aloud, ScriptedAnswers()) as assistant:
        turns = turns_of(assistant)
        assistant.ask(STORY)
        reach(assistant, AssistantState.SPEAKING, qtbot)
        exchanges = assistant.conversation.exchanges
        qtbot.waitUntil(lambda: exchanges[0].answer == LONG.strip(), timeout=PATIENCE)
        assert assistant._player.playing
        assistant.ask(QUESTION)
        qtbot.waitUntil(lambda: any(turn.turn == 2 for turn in turns), timeout=PATIENCE)
        story, question = exchanges
        assert (story.answer, story.was_cut, story.phase) == (LONG.strip(), True, Phase.DONE)
        assert story.heard != LONG.strip() and LONG.startswith(story.heard)
        assert question.answer == ANSWER
        kept = [turn for turn in turns if turn.turn == 1][-1]
        assert (kept.reply, kept.ended) == (LONG.strip(), "interrupted"), "the history has it whole, too"
