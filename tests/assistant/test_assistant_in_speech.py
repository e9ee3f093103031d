"""Conversations in real speech: a trained hearing model, the built-in voice for both sides, in simulated time."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from engine.assistant.assistant import AssistantSession
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.resample import Resampler, resample
from engine.clock import SimulatedClock
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.language.language_model import load_language_model
from engine.options import AnswerOptions, AssistantOptions, CaptionOptions, TurnOptions
from engine.speak.espeak import EspeakVoice
from engine.turns import Endpoint, Heard, Interrupted, Sentence, Speech, Turn, TurnEvent
from lab.recipes.speech.espeak import SyntheticVoice, espeak
from tests.hear.planted import FakeTimer
from tests.scripted_model import ScriptedModel
from tests.toy_models import TOY

USER = SyntheticVoice("en-us+f3", 172, 52)
NAME, MOON, STORE = "What is your name?", "How far is the moon from the earth?", "Where did you buy the magazine?"
REPLIES = {
    "name": "My name is Earshot. I live on this computer.",
    "moon": "It is nearly four hundred thousand kilometres away. Nobody lives there. You would need a rocket to go.",
    "magazine": "I bought it in a store.",
}


def answer(user: str) -> str:
    return next((reply for key, reply in REPLIES.items() if key in user.lower()), "I did not get that.")


class RecordedVoice:
    """The built-in voice, with the same sound for the same sentence every time."""

    name = "recorded"
    rate_hz = 22_050
    language = None
    words_per_minute = 150
    store_name = None

    def __init__(self) -> None:
        self._voice = EspeakVoice()
        self._made: dict[str, list[Samples]] = {}

    def speak(self, sentence: str) -> Iterator[Samples]:
        if sentence not in self._made:
            self._made[sentence] = list(self._voice.speak(sentence))
        yield from self._made[sentence]


@pytest.fixture(scope="module")
def recognizer() -> WhisperRecognizer:
    return WhisperRecognizer(load_hearing_model(TOY), CaptionOptions().decode)


@pytest.fixture(scope="module")
def voice() -> RecordedVoice:
    return RecordedVoice()


Start = Callable[..., AssistantSession]


@pytest.fixture(autouse=True)
def long_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every character of a scripted model is a token."""
    monkeypatch.setattr("engine.answer.predictor.SPECULATION_TOKENS", 200)


@pytest.fixture
def start(recognizer: WhisperRecognizer, voice: RecordedVoice) -> Start:
    def make(
        *, complete: Callable[[str], float] | None = None, speculate: bool = True, **turns: object
    ) -> AssistantSession:
        timer = FakeTimer()  # computation takes no time, so that a busy machine changes nothing
        model = ScriptedModel(answer, timer=timer, cost_seconds=0.001)
        model.complete = complete or (lambda text: 0.8 if text == NAME.rstrip("?") else 0.1)
        options = AssistantOptions(
            AnswerOptions(speculate=speculate),
            turns=TurnOptions(**turns),  # type: ignore[arg-type]
        )
        hearing = CaptionOptions(language="en")
        return AssistantSession(recognizer, model, voice, options, hearing, SimulatedClock(timer))  # type: ignore[arg-type]

    return make


def scene(seconds: float, *lines: tuple[float, str | np.ndarray]) -> Samples:
    """Make what the microphone hears: each line from a moment on, and a little noise."""
    samples = np.random.default_rng(0).normal(0, 5e-4, round(seconds * SAMPLE_RATE_HZ)).astype(np.float32)
    for at, line in lines:
        said = espeak().speak(line, USER).samples if isinstance(line, str) else line
        first = round(at * SAMPLE_RATE_HZ)
        samples[first : first + len(said)] += said[: len(samples) - first]
    return samples


def hold(samples: Samples, session: AssistantSession) -> list[tuple[float, TurnEvent]]:
    chunks = [samples[first : first + 1600] for first in range(0, len(samples), 1600)]
    return [(session.clock.now(), event) for event in feed(chunks, session, pace="fast")]


def hold_in_a_room(samples: Samples, session: AssistantSession, echo: float) -> list[tuple[float, TurnEvent]]:
    """Hold a conversation with the assistant's voice coming back to the microphone 0.08 s after it was played."""
    played = np.zeros(len(samples) + 60 * SAMPLE_RATE_HZ, np.float32)
    resampler, until, events = Resampler(22_050), 0, []
    for first in range(0, len(samples), 512):
        late = max(0, first - round(0.08 * SAMPLE_RATE_HZ))
        session.add_audio(samples[first : first + 512] + echo * played[late:][: len(samples[first : first + 512])])
        for event in session.update():
            events.append((session.clock.now(), event))
            begin = round(session.clock.now() * SAMPLE_RATE_HZ)
            if isinstance(event, Speech):
                sound = resampler.add(np.frombuffer(event.samples, np.float32))
                begin = max(begin, until)
                until = begin + len(sound)
                played[begin:until] = sound
            elif isinstance(event, Interrupted):
                played[begin:] = 0
                resampler, until = Resampler(22_050), 0
    return events + [(session.clock.now(), event) for event in session.finish()]


def turns_of(events: list[tuple[float, TurnEvent]]) -> list[Turn]:
    return [event for _, event in events if isinstance(event, Turn)]


def test_a_spoken_question_is_answered_aloud_and_our_own_hearing_understands_the_reply(
    start: Start, recognizer: WhisperRecognizer
) -> None:
    events = hold(scene(3.0, (0.5, NAME)), start())
    (turn,) = turns_of(events)
    assert (turn.prompt, turn.reply, turn.ended) == (NAME, REPLIES["name"], "end")
    pieces = [np.frombuffer(event.samples, np.float32) for _, event in events if isinstance(event, Speech)]
    sound = resample(np.concatenate(pieces), 22_050)
    heard = recognizer.hear(sound, offset_seconds=0, prompt="", language="en", final=True).text
    assert "live on this computer" in heard


def test_the_reply_begins_within_half_a_second_of_the_end_of_speech_computation_aside(start: Start) -> None:
    (turn,) = turns_of(hold(scene(3.0, (0.5, NAME)), start()))
    assert turn.stats.premade
    assert turn.stats.first_sound_seconds is not None
    assert turn.stats.first_sound_seconds < 0.35


def test_two_spoken_turns_are_the_same_with_and_without_answering_ahead(start: Start) -> None:
    samples = scene(11.0, (0.5, NAME), (7.0, MOON))
    ahead, plain = (turns_of(hold(samples, start(speculate=speculate))) for speculate in (True, False))
    assert [turn.prompt for turn in ahead] == [NAME, MOON]
    assert ahead == plain


def test_the_starter_language_model_replies_the_same_with_and_without_answering_ahead(
    recognizer: WhisperRecognizer,
) -> None:
    model, samples = load_language_model("starter-language"), scene(2.5, (0.3, NAME))
    replies = []
    for speculate in (True, False):
        options = AssistantOptions(AnswerOptions(speculate=speculate))
        clock = SimulatedClock(FakeTimer())
        session = AssistantSession(recognizer, model, None, options, CaptionOptions(language="en"), clock)
        replies.append([(turn.prompt, turn.reply, turn.ended) for turn in turns_of(hold(samples, session))])
    assert replies[0] == replies[1]
    assert replies[0][0][1]


@pytest.mark.parametrize("echo", [0.0, 0.3])
def test_the_user_speaks_over_the_reply(start: Start, echo: float) -> None:
    session = start()
    begin = 5.0
    events = hold_in_a_room(scene(11.0, (0.5, MOON), (begin, STORE)), session, echo)
    ((now, stopped),) = [(now, event) for now, event in events if isinstance(event, Interrupted)]
    assert (stopped.turn, stopped.revision) == (1, 0)
    assert begin + 0.3 < stopped.seconds < begin + 1.0
    assert stopped.spoken
    assert REPLIES["moon"].startswith(stopped.spoken)
    assert len(stopped.spoken) < len(REPLIES["moon"])
    after = [event for when, event in events[[event for _, event in events].index(stopped) + 1 :]]
    assert not [event for event in after if isinstance(event, Sentence | Speech) and event.turn == 1]
    interrupted, answered = [turn for turn in turns_of(events)][1:]
    assert (interrupted.turn, interrupted.said, interrupted.ended) == (1, stopped.spoken, "interrupted")
    assert interrupted.reply == REPLIES["moon"], "its text stays whole"
    assert (answered.turn, answered.reply) == (2, REPLIES["magazine"])
    assert [turn.reply for turn in session.history] == [stopped.spoken, REPLIES["magazine"]]
    assert now == stopped.seconds


@pytest.mark.parametrize("echo", [0.1, 0.5])
def test_the_assistant_does_not_take_its_own_voice_for_the_users(start: Start, echo: float) -> None:
    events = hold_in_a_room(scene(10.0, (0.5, MOON)), start(), echo)
    assert [(turn.turn, turn.revision, turn.ended) for turn in turns_of(events)] == [(1, 0, "end")]
    assert not [event for _, event in events if isinstance(event, Interrupted)]
    assert len([event for _, event in events if isinstance(event, Endpoint)]) == 1


def test_a_cough_over_the_reply_changes_nothing(start: Start) -> None:
    noise = np.random.default_rng(1).normal(0, 0.2, round(0.25 * SAMPLE_RATE_HZ)).astype(np.float32)
    cough = noise * np.hanning(len(noise)).astype(np.float32)
    events = hold(scene(10.0, (0.5, MOON), (4.0, cough)), start())
    assert [(turn.reply, turn.ended) for turn in turns_of(events)] == [(REPLIES["moon"], "end")]
    assert not [event for _, event in events if isinstance(event, Interrupted)]


@pytest.mark.parametrize("loudness", [0.0, 0.003, 0.1])
def test_silence_and_noise_are_no_turns(start: Start, loudness: float) -> None:
    noise = np.random.default_rng(2).normal(0, loudness, 4 * SAMPLE_RATE_HZ).astype(np.float32)
    events = hold(noise, start())
    assert not [event for _, event in events if not isinstance(event, Heard)]


def halting() -> Samples:
    """Speak a question with a pause of 0.35 s in its middle."""
    first = "Tell me, how far is"
    return scene(7.0, (0.5, first), (0.5 + espeak().speak(first, USER).seconds + 0.35, "the moon from the earth?"))


def test_a_pause_for_thought_is_bridged_where_the_question_is_not_taken_for_complete(start: Start) -> None:
    events = hold(halting(), start(complete=lambda text: 0.1))
    assert [(turn.turn, turn.revision, turn.reply) for turn in turns_of(events)] == [(1, 0, REPLIES["moon"])]


def test_a_question_that_was_cut_off_in_a_pause_is_answered_as_a_whole_in_the_end(start: Start) -> None:
    events = hold(halting(), start(complete=lambda text: 0.9))
    assert [(turn.turn, turn.revision) for turn in turns_of(events)] == [(1, 0), (1, 1)]
    whole = turns_of(events)[-1]
    assert whole.reply == REPLIES["moon"]
    assert whole.prompt.startswith("Tell me")
    assert whole.prompt.endswith("the earth.")
    ((stopped, _),) = [(now, event) for now, event in events if isinstance(event, Interrupted)]
    assert not [event for now, event in events if now > stopped and isinstance(event, Speech) and event.revision == 0]
