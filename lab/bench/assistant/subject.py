"""The language model and the voice under test: loaded once, used by every way of answering."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.answer.predictor import Predictor
from engine.clock import Clock, SimulatedClock
from engine.language.token_model import AnsweringModel
from engine.speak.ahead import SpeechAhead
from engine.speak.voice import Voice
from lab.bench.assistant.measure import TalkResult, converse
from lab.bench.assistant.methods import AnswerMethod
from lab.bench.assistant.texts import Talk, streamed

WARM_UP = Talk("warm-up", (streamed("What is this?"),))
WARM_UP_SENTENCE = "This is a sentence."


def conversations(
    model: AnsweringModel,
    voice: Voice,
    ways: Sequence[AnswerMethod],
    clock: Callable[[], Clock],
) -> Callable[[AnswerMethod, Talk], TalkResult]:
    """Return a function that holds a conversation in one of these ways; each way has a memory of its own.

    All of them answer something before they are measured, and the voice speaks once. A conversation begins without a
    history and without prepared speech, so that no way uses the work of another.

    Raises:
        ModelError: the model's context is too short.
    """
    made = {way.name: way.predictor(model, clock().timer) for way in ways}

    def hold(way: AnswerMethod, talk: Talk) -> TalkResult:
        made[way.name].restart()
        return _held(way, made[way.name], voice, talk, clock)

    for way in ways:
        _held(way, made[way.name], voice, WARM_UP, SimulatedClock)
    next(voice.speak(WARM_UP_SENTENCE), None)
    return hold


def _held(way: AnswerMethod, predictor: Predictor, voice: Voice, talk: Talk, clock: Callable[[], Clock]) -> TalkResult:
    return converse(
        predictor,
        SpeechAhead(voice),
        talk,
        clock,
        speculate=way.options.speculate,
        branches=way.options.branches > 0,
        last_word=way.options.last_word,
    )
