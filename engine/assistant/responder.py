"""What answers in a conversation: a model with what it remembers, a voice, and what they make ahead.

What is answered without the model (engine.assistant.scripts) is not guessed at.
The three may be chosen anew at any time; the choice holds as soon as no reply is under way (`take_up`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.answer.predictor import Exchange, Predictor
from engine.answer.sentences import is_code
from engine.answer.tools.outcomes import Outcome, words_of
from engine.assistant.answerers import Answerers, Question
from engine.assistant.doubt import joined
from engine.assistant.reply import AnswerSteps, Reply, Speaker, told
from engine.assistant.speculator import Speculator
from engine.events import Incident
from engine.speak.ahead import SpeechAhead
from engine.speak.choice import in_language, language_of
from engine.speak.joining import SpeechJoiner
from engine.turns import Candidate, Language, Turn

if TYPE_CHECKING:
    from engine.clock import Clock
    from engine.language.language_model import LanguageModel
    from engine.options import AnswerOptions
    from engine.speak.voice import Voice


class Responder:
    """Makes replies to one turn after the other, and guesses at them while the user speaks. One thread uses it."""

    def __init__(
        self,
        model: LanguageModel,
        voice: Voice | None,
        options: AnswerOptions,
        clock: Clock,
        make_answerers: Callable[[Predictor], Answerers],
    ) -> None:
        """Answer by the answerers of a model, and speak with a voice if there is one."""
        self._model = model
        self._clock = clock
        self._wanted = options
        self._wanted_voice: tuple[Voice | None] | None = None  # where it is to be another
        self._make_answerers = make_answerers
        self._predictor = Predictor(model, options, with_tools=True)
        self._answerers = make_answerers(self._predictor)
        self._speaker = _speaker(voice)
        self._others: dict[str, Speaker] = {}  # that speak languages which it does not
        self._ahead = self._speculator()

    @property
    def options(self) -> AnswerOptions:
        """Return how the present turn is answered."""
        return self._predictor.options

    @property
    def history(self) -> tuple[Exchange, ...]:
        """List what was asked and answered before, oldest first."""
        return self._predictor.history

    @property
    def may_guess(self) -> bool:
        """Tell whether `guess` would do anything now."""
        return self._ahead.busy

    def recall(self, turns: Iterable[Turn]) -> None:
        """Remember turns, oldest first, before any is answered here."""
        self._predictor.history += tuple(Exchange(turn.prompt, turn.heard) for turn in turns if turn.heard)

    def want(self, options: AnswerOptions) -> None:
        """Answer otherwise, from `take_up` on."""
        self._wanted = options

    def want_voice(self, voice: Voice | None) -> None:
        """Speak with another voice, or no longer, from `take_up` on."""
        self._wanted_voice = (voice,)

    def take_up(self) -> None:
        """Go by what was wanted: no reply is under way."""
        changed = False
        if self._wanted != self._predictor.options:
            history = self._predictor.history
            self._predictor = Predictor(self._model, self._wanted, with_tools=True)
            self._predictor.history = history
            self._answerers = self._make_answerers(self._predictor)
            changed = True
        if self._wanted_voice is not None:
            self._close_voice()
            self._speaker, self._wanted_voice = _speaker(*self._wanted_voice), None
            changed = True
        if changed:
            self._ahead = self._speculator()

    def offer(self, turn: int, revision: int, text: str) -> list[Candidate]:
        """Take what the user has said so far, to `guess` the reply to it, where that is the model's to give.

        Where it is not, give what is shown of the reply instead; a candidate without text takes the last one back.
        """
        shown = self._answerers.preview(Question(text, spoken=True))
        if shown is None:
            self._ahead.offer(text if self._predictor.can_read else joined(text))
            return []
        if not self.options.speculate:
            shown = ""
        return [Candidate(turn, revision, text if shown else "", shown)] if self._ahead.drop(shown) else []

    def guess(self, turn: int, revision: int) -> Candidate | Incident | None:
        """Work for about one forward on what would be replied; give what there is to show."""
        try:
            return self._ahead.step(turn, revision)
        except Exception as error:  # whatever a model may raise: hearing has not failed
            self._ahead.stop()
            return Incident(f"The assistant could not answer ahead. {told(error)}")

    def stop_guessing(self) -> None:
        """Give up what would be replied."""
        self._ahead.stop()

    def reply(self, turn: int, revision: int, prompt: str, *, spoken: bool) -> Reply:
        """Begin the reply to a turn, which was spoken or typed."""
        self._ahead.stop()
        script = self._answerers.answer(Question(prompt, spoken=spoken))
        if script.free:
            script = replace(script, aloud=self._aloud)
        speaker = self._speaking(script.language)
        return Reply(turn, revision, prompt, self._predictor, speaker, self._clock, script)

    def told(self, prompt: str, language: Language, outcome: Outcome) -> AnswerSteps:
        """Answer with what the app's tool came to."""
        return self._answerers.tools.tell(prompt, language, outcome)

    def restart(self) -> None:
        """Forget the conversation."""
        self._predictor.restart()

    def close(self) -> None:
        """Give up all that is being made ahead."""
        self._ahead.stop()
        self._close_voice()

    def _speculator(self) -> Speculator:
        return Speculator(self._predictor, self._speaker.ahead if self._speaker else None, self._clock)

    def _aloud(self, sentence: str) -> str:
        """A sentence of the model's as it goes to the voice: of code it is said that it is there."""
        if not is_code(sentence) or self._speaker is None:
            return sentence
        return words_of(Outcome("code"), language_of(self._speaker.ahead.voice))[0]

    def _speaking(self, language: str | None) -> Speaker | None:
        """The speaker for a language, if it is known: the usual one, or another where that cannot speak it."""
        if self._speaker is None or language is None:
            return self._speaker
        usual = self._speaker.ahead.voice
        if (voice := in_language(usual, language)) is usual:
            return self._speaker
        if language not in self._others:
            self._others[language] = Speaker(SpeechAhead(voice), SpeechJoiner(voice.rate_hz))
        return self._others[language]

    def _close_voice(self) -> None:
        for speaker in (self._speaker, *self._others.values()):
            if speaker is not None:
                speaker.ahead.close()
        self._others.clear()


def _speaker(voice: Voice | None) -> Speaker | None:
    return Speaker(SpeechAhead(voice), SpeechJoiner(voice.rate_hz)) if voice is not None else None
