"""The responder of a conversation: answerers with their model, a voice, and the work that both do ahead.

The reply is only guessed ahead if a model will answer (engine.assistant.answerers). Model options and voice may change
at any time; a change takes effect once no reply is in progress (`apply_requested`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answer.any_predictor import AnyPredictor
from engine.answer.predictor import ChatTurn, make_predictor
from engine.answer.sentences import is_code
from engine.answer.served_predictor import ServedPredictor
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.answerers import Answerers, Question
from engine.assistant.doubt import is_doubt, known_reply, without_false_stops
from engine.assistant.reply import AnswerSteps, Reply, Speaker
from engine.assistant.speculator import Speculator
from engine.errors import error_sentence
from engine.events import Incident
from engine.language.servers.model import ServedModel
from engine.machine.power import PowerSource
from engine.speak.ahead import SpeechAhead
from engine.speak.choice import in_language, language_of
from engine.speak.joining import SpeechJoiner
from engine.turns import Candidate, Language, Turn

if TYPE_CHECKING:
    from engine.clock import Clock
    from engine.language.answering import AnyAnsweringModel
    from engine.options import AnswerOptions
    from engine.speak.kept_speech import KeptSpeech
    from engine.speak.voice import Voice


WARM_UP = ("Is he still there?", "Is she there, too?")
"""Questions that no tool answers: the first is not surely harmless, the other may refer to it.

Instructions for sums and requests are read when one comes.
"""


class Responder:
    """Replies to one turn after the other, and guesses replies while the user speaks. One thread uses it."""

    def __init__(
        self,
        model: AnyAnsweringModel,
        voice: Voice | None,
        options: AnswerOptions,
        clock: Clock,
        make_answerers: Callable[[AnyPredictor], Answerers],
        power: PowerSource | None = None,
        kept_speech: KeptSpeech | None = None,
    ) -> None:
        """Answer by the answerers of a model, and speak with a voice if there is one.

        `power` is the computer's, unless another is given. `kept_speech`: sentences on the disk, if any are kept.
        """
        self._kept_speech = kept_speech
        self._power = power or PowerSource()
        self._model = model
        self._clock = clock
        self._wanted = options
        self._wanted_voice: tuple[Voice | None] | None = None  # requested voice, if any
        self._make_answerers = make_answerers
        self._predictor = _predictor_for(model, options, clock)
        self._answerers = make_answerers(self._predictor)
        self._speaker = self._speaker_with(voice)
        self._others: dict[str, Speaker] = {}  # speakers of other languages
        self._ahead = self._speculator()

    @property
    def options(self) -> AnswerOptions:
        """Return the options of the present turn."""
        return self._predictor.options

    @property
    def history(self) -> tuple[ChatTurn, ...]:
        """Return earlier questions and answers, oldest first."""
        return self._predictor.history

    @property
    def may_guess(self) -> bool:
        """Return whether `guess` would do anything now."""
        return self._ahead.busy

    def warm_up(self) -> None:
        """Load what the answerers load when they are first asked, so that the first question waits no longer."""
        for text in WARM_UP[: None if self._predictor.writes_aside else 1]:
            steps = self._answerers.answer(Question(text)).steps
            if steps is not None:
                with closing(steps):
                    next(filter(None, steps), None)  # up to its first word: a long prompt takes several forwards
            self._predictor.accept(text, "Yes.")
        self._predictor.restart()

    def recall(self, turns: Iterable[Turn]) -> None:
        """Remember earlier turns, oldest first, before any is answered here."""
        self._predictor.history += tuple(ChatTurn(turn.prompt, turn.heard) for turn in turns if turn.heard)

    def want(self, options: AnswerOptions) -> None:
        """Request other options, from `apply_requested` on."""
        self._wanted = options

    def want_voice(self, voice: Voice | None) -> None:
        """Request another voice or none, from `apply_requested` on."""
        self._wanted_voice = (voice,)

    def apply_requested(self) -> None:
        """Apply requested changes, while no reply is in progress."""
        changed = False
        if self._wanted != self._predictor.options:
            history = self._predictor.history
            self._predictor = _predictor_for(self._model, self._wanted, self._clock)
            self._predictor.history = history
            self._answerers = self._make_answerers(self._predictor)
            changed = True
        if self._wanted_voice is not None:
            self._close_voice()
            self._speaker, self._wanted_voice = self._speaker_with(*self._wanted_voice), None
            changed = True
        if changed:
            self._ahead = self._speculator()

    def offer(self, turn: int, revision: int, text: str) -> list[Candidate]:
        """Offer the question so far for `guess`, if a model will answer it.

        Otherwise return a preview of the answer; a candidate without text removes the last one from the screen. Doubt
        is not shown while the user speaks.
        """
        shown = self._answerers.preview(Question(text, spoken=True))
        if shown is not None:
            shown = shown if self.options.speculate else ""
            changed = self._ahead.drop(shown)
        elif (known := self._known_reply(text)) is not None:
            shown = "" if is_doubt(known) else " ".join(known)
            changed = self._ahead.expect(text, known[0], shown)
        else:
            self._ahead.offer(text if self._predictor.can_read else without_false_stops(text))
            return []
        return [Candidate(turn, revision, text if shown else "", shown)] if changed else []

    def _known_reply(self, text: str) -> tuple[str, ...] | None:
        """Return the answer that a model which was taught its answers is not asked for, if any is wanted ahead."""
        if self._predictor.can_read or not self.options.speculate:
            return None
        return known_reply(self._predictor, text)

    def guess(self, turn: int, revision: int) -> Candidate | Incident | None:
        """Work for about one forward on the expected reply; return an event if there is one."""
        try:
            return self._ahead.step(turn, revision)
        except Exception as error:  # whatever a model may raise: hearing has not failed
            self._ahead.stop()
            return Incident(f"The assistant could not answer ahead. {error_sentence(error)}")

    def stop_guessing(self) -> None:
        """Discard the expected reply."""
        self._ahead.stop()

    def reply(self, turn: int, revision: int, prompt: str, *, spoken: bool) -> Reply:
        """Begin the reply to a spoken or typed turn."""
        self._ahead.stop()
        script = self._answerers.answer(Question(prompt, spoken=spoken))
        if script.free:
            named = script.aloud
            script = replace(script, aloud=lambda sentence: self._aloud(named(sentence)))
        speaker = self._speaking(script.language)
        ahead = self.options.speculate
        return Reply(turn, revision, prompt, self._predictor, speaker, self._clock, script, ahead=ahead)

    def answer_outcome(self, prompt: str, language: Language, outcome: ToolOutcome) -> AnswerSteps:
        """Answer with the outcome of a tool that the app ran."""
        return self._answerers.tools.answer_outcome(prompt, language, outcome)

    def restart(self) -> None:
        """Forget the conversation."""
        self._predictor.restart()

    def close(self) -> None:
        """Discard all work ahead."""
        self._ahead.stop()
        self._close_voice()

    def _speculator(self) -> Speculator:
        return Speculator(self._predictor, self._speaker.ahead if self._speaker else None, self._clock, self._power)

    def _aloud(self, sentence: str) -> str:
        """Return a sentence of a model's as it goes to the voice, which only mentions code."""
        if not is_code(sentence) or self._speaker is None:
            return sentence
        return words_of(ToolOutcome("code"), language_of(self._speaker.ahead.voice))[0]

    def _speaking(self, language: str | None) -> Speaker | None:
        """Return the speaker for a language, if it is known: the usual one, or another if that cannot speak it."""
        if self._speaker is None or language is None:
            return self._speaker
        if language not in self._others:
            usual = self._speaker.ahead.voice
            if (voice := in_language(usual, language)) is usual:
                return self._speaker
            self._others[language] = self._speaking_with(voice)
        return self._others[language]

    def _speaker_with(self, voice: Voice | None) -> Speaker | None:
        return self._speaking_with(voice) if voice is not None else None

    def _speaking_with(self, voice: Voice) -> Speaker:
        return Speaker(SpeechAhead(voice, self._kept_speech), SpeechJoiner(voice.rate_hz))

    def _close_voice(self) -> None:
        for speaker in (self._speaker, *self._others.values()):
            if speaker is not None:
                speaker.ahead.close()
        self._others.clear()


def _predictor_for(model: AnyAnsweringModel, options: AnswerOptions, clock: Clock) -> AnyPredictor:
    if isinstance(model, ServedModel):
        return ServedPredictor(model, options)
    return make_predictor(model, options, clock.timer, with_tools=True)
