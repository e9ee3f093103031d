"""`earshot ask` with a microphone and a loudspeaker, which are PulseAudio's."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen

import pytest
import soundfile

from app.sound.playback import Player
from app.terminal.cli import main
from app.terminal.conversation import Conversation
from engine.assistant.assistant import AssistantSession
from engine.audio import Samples
from engine.events import Incident
from engine.turns import Heard, Speech, TurnEvent
from tests.app.pulse import Pulse, private_pulse
from tests.app.terminal.test_cli_ask_sound import ANSWER, BY_TOY, LONG, QUESTION, STORY, model, recording  # noqa: F401
from tests.app.terminal.test_cli_caption import one_line
from tests.app.terminal.test_enter_key import keyboard  # noqa: F401

pytestmark = pytest.mark.realtime


@pytest.fixture
def pulse(tmp_path: Path) -> Iterator[Pulse]:
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder) as running:
        yield running


@pytest.fixture
def question(tmp_path: Path) -> Path:
    return Path(recording(tmp_path / "question.wav", 0.2, QUESTION, 1.0))


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return Path(recording(tmp_path / "story.wav", 0.2, STORY, 1.0))


class Script:
    """Actions in the course of a conversation.

    Attributes:
        on_listening: called when the first sound has come from the microphone.
        on_event: called with every event, when it has been taken.
        on_settled: called when the assistant has said what it had to say.
    """

    def __init__(self, pulse: Pulse) -> None:
        self.on_listening: Callable[[], object] = lambda: None
        self.on_event: Callable[[TurnEvent], object] = lambda event: None
        self.on_settled: Callable[[], object] = lambda: signal.raise_signal(signal.SIGINT)
        self._pulse = pulse
        self._speakers: list[Popen[bytes]] = []

    def say(self, wav: Path) -> Callable[[], None]:
        """Return a function that plays a file at the microphone, and does not wait for its end."""
        return lambda: self._speakers.append(self._pulse.speak(wav))

    def end(self) -> None:
        for speaker in self._speakers:
            speaker.wait()


@pytest.fixture
def script(pulse: Pulse, monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    made = Script(pulse)
    add_audio, handle, settle = AssistantSession.add_audio, Conversation.handle, Conversation.settle

    def add_audio_and_tell(session: AssistantSession, chunk: Samples) -> None:
        if session.audio_seconds == 0:
            made.on_listening()
        add_audio(session, chunk)

    def handle_and_tell(conversation: Conversation, event: TurnEvent) -> None:
        handle(conversation, event)
        made.on_event(event)

    def settle_and_tell(conversation: Conversation) -> None:
        settle(conversation)
        made.on_settled()

    monkeypatch.setattr(AssistantSession, "add_audio", add_audio_and_tell)
    monkeypatch.setattr(Conversation, "handle", handle_and_tell)
    monkeypatch.setattr(Conversation, "settle", settle_and_tell)
    yield made
    made.end()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that each player has played, once it is closed."""
    seconds: list[float] = []
    close = Player.close

    def close_and_tell(player: Player) -> None:
        seconds.append(player.played_seconds)
        close(player)

    monkeypatch.setattr(Player, "close", close_and_tell)
    return seconds


def once(happens: Callable[[], object]) -> Callable[[], None]:
    left = [happens]
    return lambda: left.pop()() and None if left else None


@pytest.mark.usefixtures("model")
class TestConversing:
    def test_a_question_at_the_microphone_is_answered_aloud(
        self, question: Path, script: Script, played: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    ) -> None:  # fmt: skip
        script.on_listening = script.say(question)
        path, spoken = tmp_path / "reply.wav", list[float]()
        script.on_event = lambda event: (
            spoken.append(len(event.samples) / 4 / event.rate_hz) if isinstance(event, Speech) else None
        )
        assert main(["ask", *BY_TOY, "--mic", "--speech", str(path)]) == 0
        out, err = capsys.readouterr()
        assert out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"
        assert "first sound" in one_line(err)
        assert sum(spoken) > 1
        assert played[0] == pytest.approx(sum(spoken), abs=0.1)
        # In the file there are pauses where a sentence was not ready when the one before it had been heard.
        assert soundfile.info(path).duration >= sum(spoken) - 0.001

    def test_speech_over_the_answer_silences_it(
        self, tmp_path: Path, story: Path, script: Script, capsys: pytest.CaptureFixture[str]
    ) -> None:
        script.on_listening = script.say(story)
        late = recording(tmp_path / "late.wav", 3.0, QUESTION, 1.0)  # at once it would go on with the first turn
        interject = once(script.say(Path(late)))
        script.on_event = lambda event: interject() if isinstance(event, Speech) and event.sentence == 1 else None
        assert main(["ask", *BY_TOY, "--mic", "--json"]) == 0
        *events, summary = map(json.loads, capsys.readouterr().out.splitlines())
        (interrupted,) = (event for event in events if event["type"] == "interrupted")
        assert LONG.startswith(interrupted["spoken"])
        assert len(interrupted["spoken"]) < len(LONG)
        *_, story_turn, question_turn = (event for event in events if event["type"] == "turn")
        assert (story_turn["turn"], story_turn["ended"]) == (1, "interrupted")
        assert (question_turn["turn"], question_turn["reply"]) == (2, ANSWER)
        assert (summary["turns"], summary["interrupted"]) == (2, 1)

    def test_the_enter_key_begins_and_ends_a_question(
        self,
        question: Path,
        script: Script,
        keyboard: int,  # noqa: F811
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def on_listening() -> None:
            os.write(keyboard, b"\n")
            script.say(question)()

        release = once(lambda: os.write(keyboard, b"\n"))
        script.on_listening = on_listening
        whole = len(QUESTION.split())
        script.on_event = lambda event: (
            release() if isinstance(event, Heard) and len(event.text.split()) >= whole else None
        )
        assert main(["ask", *BY_TOY, "--mic", "--push-to-talk", "--json"]) == 0
        *events, _ = map(json.loads, capsys.readouterr().out.splitlines())
        (turn,) = (event for event in events if event["type"] == "turn")
        assert len(turn["prompt"].split()) >= whole
        assert turn["reply"] == ANSWER

    def test_an_unknown_loudspeaker_is_answered_with_those_there_are(
        self, pulse: Pulse, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        settings = tmp_path / "settings.json"
        settings.write_text('{"sound": {"output": "nowhere"}}')
        assert main(["ask", QUESTION, "--aloud", "--settings", str(settings)]) == 1
        complaint = one_line(capsys.readouterr().err)
        assert "There is no single loudspeaker that answers to 'nowhere'. Choose one of: " in complaint

    def test_without_barge_in_it_speaks_on(
        self, question: Path, script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        script.on_listening = script.say(question)
        again = once(script.say(question))
        script.on_event = lambda event: again() if isinstance(event, Speech) else None
        settings = tmp_path / "settings.json"
        settings.write_text('{"assistant": {"turns": {"barge_in": false}}}')
        assert main(["ask", *BY_TOY, "--mic", "--settings", str(settings)]) == 0
        assert capsys.readouterr().out.startswith(f"You: {QUESTION}\nEarshot: {ANSWER}\n")

    def test_a_recording_may_be_answered_aloud(
        self, pulse: Pulse, question: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["ask", *BY_TOY, "--audio", str(question), "--aloud"]) == 0
        assert capsys.readouterr().out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"

    def test_a_written_question_may_be_answered_aloud(
        self, pulse: Pulse, played: list[float], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["ask", QUESTION, "--aloud"]) == 0
        assert capsys.readouterr().out == f"{ANSWER}\n"
        assert 1 < played[0] < 5, "all of it, before the end"

    def test_a_microphone_that_goes_away_is_told_and_the_conversation_goes_on(
        self, pulse: Pulse, question: Path, script: Script, capsys: pytest.CaptureFixture[str]
    ) -> None:
        script.on_listening = script.say(question)
        script.on_settled = once(pulse.process.kill)
        ends = once(lambda: signal.raise_signal(signal.SIGINT))
        script.on_event = lambda event: ends() if isinstance(event, Incident) else None
        assert main(["ask", *BY_TOY, "--mic"]) == 0
        out, err = capsys.readouterr()
        assert out == f"You: {QUESTION}\nEarshot: {ANSWER}\n"
        assert "the default microphone is gone. The recording goes on in silence" in err
