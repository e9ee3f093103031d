"""The player of replies: which sound is heard, and how much of it was."""

from __future__ import annotations

import numpy as np
import pytest

from app.assistant.ears import BEFORE_SECONDS, Ears
from app.assistant.reply_player import ReplyPlayer
from app.sound.loudspeaker import Loudspeaker
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.barge_in import SpokenOver
from engine.errors import AudioError
from engine.turns import Heard, Interrupted, Speech

RATE_HZ = 1000


class FakePlayer:
    """Plays when it is told that time has passed.

    Attributes:
        heard: the numbers of the chunks that were played, whole or in part.
        fails: why nothing can be played, if it cannot.
    """

    def __init__(self) -> None:
        self.heard: list[int] = []
        self.fails = ""
        self.played_seconds = 0.0
        self._waiting: list[tuple[int, float]] = []

    @property
    def playing(self) -> bool:
        return bool(self._waiting)

    def play(self, samples: Samples, rate_hz: int) -> None:
        if self.fails:
            message, self.fails = self.fails, ""
            raise AudioError(message)
        if len(samples):
            self._waiting.append((int(samples[0]), len(samples) / rate_hz))

    def pass_time(self, seconds: float) -> None:
        while self._waiting and seconds > 1e-9:
            number, left = self._waiting.pop(0)
            self.heard += [number] if self.heard[-1:] != [number] else []
            played = min(left, seconds)
            self.played_seconds += played
            seconds -= played
            if left > played + 1e-9:
                self._waiting.insert(0, (number, left - played))

    def stop(self) -> None:
        self._waiting.clear()

    def played(self) -> Samples:
        return np.zeros(0, np.float32)

    def close(self) -> None:
        pass


def speech(number: int, seconds: float = 1.0, turn: int = 1, revision: int = 0) -> Speech:
    samples = np.full(round(seconds * RATE_HZ), number, np.float32)
    return Speech(turn, revision, 0, samples.tobytes(), RATE_HZ)


@pytest.fixture
def device() -> FakePlayer:
    return FakePlayer()


@pytest.fixture
def player(device: FakePlayer) -> ReplyPlayer:
    made = ReplyPlayer(lambda: Loudspeaker(device))
    made.handle(Heard(1, 0, "What?", final=True))
    return made


class TestReplyPlayer:
    def test_it_knows_how_much_was_played_of_the_present_reply(self, player: ReplyPlayer, device: FakePlayer) -> None:
        player.handle(speech(1))
        device.pass_time(0.5)
        assert player.played_seconds == pytest.approx(0.5)
        device.pass_time(9.0)
        assert player.played_seconds == pytest.approx(1.0), "no more than has come"
        player.handle(Heard(2, 0, "And?", final=True))
        player.handle(speech(2, turn=2))
        device.pass_time(0.25)
        assert player.played_seconds == pytest.approx(0.25)

    def test_nothing_of_a_silenced_reply_is_heard_until_it_goes_on(
        self, player: ReplyPlayer, device: FakePlayer
    ) -> None:
        player.handle(speech(1))
        player.handle(speech(2))
        device.pass_time(1.5)
        assert player.hush() == pytest.approx(1.5)
        player.handle(speech(3))  # was under way
        player.handle(Interrupted(1, 0, 1.5, ""))
        device.pass_time(5.0)
        assert device.heard == [1, 2]
        assert player.played_seconds == pytest.approx(1.5)
        player.handle(speech(2, revision=1))  # it was a cough: what was not heard whole comes again
        player.handle(speech(3, revision=1))
        device.pass_time(5.0)
        assert device.heard == [1, 2, 3]
        assert player.played_seconds == pytest.approx(3.5)
        player.replay(1)
        device.pass_time(5.0)
        assert device.heard == [1, 2, 3, 1, 2, 3]

    def test_a_question_that_goes_on_silences_its_answer(self, player: ReplyPlayer, device: FakePlayer) -> None:
        player.handle(speech(1))
        player.handle(Heard(1, 1, "What else?"))
        device.pass_time(1.0)
        assert (device.heard, player.can_replay(1)) == ([], False)
        player.handle(Heard(1, 1, "What else?", final=True))
        player.handle(speech(2, revision=1))
        device.pass_time(1.0)
        assert device.heard == [2]

    def test_a_new_answer_ends_one_that_is_played_again(self, player: ReplyPlayer, device: FakePlayer) -> None:
        player.handle(speech(1))
        device.pass_time(1.0)
        player.replay(1)
        assert player.replaying
        player.handle(Heard(2, 0, "And?", final=True))
        player.handle(speech(2, turn=2))
        assert not player.replaying
        device.pass_time(2.0)
        assert device.heard == [1, 2]
        assert player.played_seconds == pytest.approx(1.0)

    def test_a_missing_loudspeaker_is_told_and_counts_as_played(self, player: ReplyPlayer, device: FakePlayer) -> None:
        device.fails = "No loudspeaker was found."
        with pytest.raises(AudioError, match="No loudspeaker"):
            player.handle(speech(1))
        assert player.played_seconds == pytest.approx(1.0)
        assert not player.can_replay(1), "nobody would hear it"
        player.rest()
        assert player.can_replay(1), "it may be there again"

    def test_only_the_newest_sound_is_kept(self, player: ReplyPlayer, device: FakePlayer) -> None:
        for turn in range(1, 8):
            player.handle(Heard(turn, 0, "What?", final=True))
            player.handle(speech(turn, 50.0, turn))
        assert [player.can_replay(turn) for turn in range(1, 8)] == [False] * 3 + [True] * 4
        assert player.newest_kept == 7
        player.forget()
        assert player.newest_kept is None


class FakeEngine:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float]] = []

    def send_audio(self, samples: Samples) -> None:
        self.told.append(("audio", len(samples) / SAMPLE_RATE_HZ))
        self.loudest = float(np.max(np.abs(samples), initial=0.0))

    def press(self) -> None:
        self.told.append(("press", 0.0))

    def release(self) -> None:
        self.told.append(("release", 0.0))

    def played(self, seconds: float) -> None:
        self.told.append(("played", seconds))

    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None:
        self.told.append(("interrupt", spoken_seconds or 0.0))


class Interjection:
    """A BargeIn that hears the user's speech in every sound but silence."""

    def restart(self) -> None:
        pass

    def add(self, microphone: Samples, playback: Samples) -> SpokenOver | None:
        return SpokenOver(0.4, microphone) if np.any(microphone) else None


SOUND, SILENCE = np.full(1600, 0.1, np.float32), np.zeros(1600, np.float32)


class TestEars:
    def test_being_spoken_over_silences_the_reply_at_once(self, player: ReplyPlayer, device: FakePlayer) -> None:
        engine = FakeEngine()
        ears = Ears(engine, player, Interjection())  # type: ignore[arg-type]
        player.handle(speech(1))
        device.pass_time(0.3)
        ears.pass_on(SILENCE)
        assert player.playing
        ears.pass_on(SOUND)
        assert not player.playing
        assert [name for name, _ in engine.told] == ["played", "audio", "played", "audio", "interrupt"]
        assert engine.told[-1][1] == pytest.approx(0.3)

    def test_the_microphone_counts_as_silent_while_an_answer_is_played_again(
        self, player: ReplyPlayer, device: FakePlayer
    ) -> None:
        engine = FakeEngine()
        ears = Ears(engine, player, Interjection())  # type: ignore[arg-type]
        player.handle(speech(1))
        device.pass_time(1.0)
        player.replay(1)
        ears.pass_on(SOUND)
        assert (engine.told, engine.loudest, player.playing) == ([("audio", 0.1)], 0.0, True)

    def test_another_engine_hears_the_question_again(self, player: ReplyPlayer) -> None:
        engine = FakeEngine()
        ears = Ears(engine, player, None)
        for _ in range(50):
            ears.pass_on(SILENCE)
        engine.told.clear()
        ears.hear_again()
        assert len(engine.told) == round(BEFORE_SECONDS / 0.1), "no more than a moment before it"
        ears.press()
        ears.asked = True
        for _ in range(50):
            ears.pass_on(SOUND)
        ears.release()
        engine.told.clear()
        ears.hear_again()
        assert [name for name, _ in engine.told] == ["press", *["audio"] * 50, "release"]
        ears.forget()
        engine.told.clear()
        ears.hear_again()
        assert engine.told == []
