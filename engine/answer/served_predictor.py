"""One conversation with a model that a server runs, which writes ahead during the question.

Nothing is known of tokens and logits, so that nothing can be verified. Each partial question is sent at once: the
server keeps the computation of its beginning (prefix cache), and mostly reads only the new words of the next one. The
reply that is being written goes on while the user speaks, and is the answer if the question then has the same words.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, replace

from engine.answer.answers import Answer, AnswerProgress, Guess, empty_answer
from engine.answer.any_predictor import AnyPredictor
from engine.answer.candidate import first_sentence_of
from engine.answer.prompt import EXAMPLES, HISTORY_TURNS, INSTRUCTION, ChatTurn
from engine.answer.sentences import SentenceSplitter
from engine.errors import ModelError
from engine.language.chat_tokenizer import Message
from engine.language.servers.client import ServedAnswer
from engine.language.servers.model import ServedModel
from engine.options import AnswerOptions
from engine.translate.source import clean

WAIT_SECONDS = 0.02
"""Longest wait for text before other work has its turn."""

MOST_CHARACTERS = 12_000
"""Longest question; of a longer one the end is asked."""

_WORD = re.compile(r"[^\W_]+")
_THOUGHTS = re.compile(r"\s*<think>.*?(?:</think>\s*|$)", re.DOTALL)

Asked = tuple[tuple[ChatTurn, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A reply that a server is writing: what was asked, as far as it matters, and how often its beginning survived."""

    asked: Asked
    written: ServedAnswer
    survived: int = 0

    @property
    def text(self) -> str:
        """Return the reply so far, without what the model thinks."""
        return _THOUGHTS.sub("", self.written.text)

    @property
    def first_sentence(self) -> str | None:
        return first_sentence_of(self.text, ended=self.written.ended is not None)


class ServedPredictor(AnyPredictor):
    """Guesses and answers with a server's model; see AnyPredictor."""

    can_read = True
    calls_tools = False

    def __init__(self, model: ServedModel, options: AnswerOptions) -> None:
        """Answer with a model."""
        super().__init__(options)
        self._model = model
        self._draft: _Draft | None = None
        self._accepted: ChatTurn | None = None

    @property
    def candidate(self) -> str:
        return "" if self._draft is None else self._draft.text

    def restart(self) -> None:
        self._drop()
        self.history, self._accepted = (), None

    def accept(self, text: str, reply: str) -> None:
        super().accept(text, reply)
        self._accepted = self.history[-1]
        self._drop()

    def reopen(self) -> None:
        if self._accepted is not None:
            self.history, self._accepted = self.history[:-1], None

    def guess(self, text: str) -> Generator[None, None, Guess | None]:
        before = self._draft
        asked = self._asked(text)
        if not self.options.speculate or not asked[1] or (before is not None and before.asked == asked):
            return None
        sentence = None if before is None else before.first_sentence
        try:
            draft = self._ask(text)
            while draft.first_sentence is None and draft.written.ended is None:
                draft.written.read(WAIT_SECONDS)
                yield
        except ModelError:  # the answer will say so
            self._drop()
            return None
        first = draft.first_sentence
        survived = before.survived + 1 if before is not None and first is not None and first == sentence else 0
        self._draft = replace(draft, survived=survived)
        ended = draft.written.ended or "enough"
        return replace(empty_answer(text), text=draft.text, first_sentence=first, survived=survived, ended=ended)

    def answer(self, text: str) -> Generator[AnswerProgress | None, None, Answer]:
        asked, before = self._asked(text), self._draft
        if not asked[1]:
            return empty_answer(text)
        kept = before if before is not None and before.asked == asked else None
        premade = None if kept is None else kept.first_sentence
        draft = kept or self._ask(text)
        splitter, sentences, shown = SentenceSplitter(), list[str](), ""
        try:
            while True:
                ended = draft.written.ended
                new = splitter.add(draft.text)
                if ended is not None:
                    new += splitter.finish(cut=ended == "limit")
                sentences += new
                if new or draft.text != shown:
                    shown = draft.text
                    yield AnswerProgress(shown, tuple(new))
                if ended is not None:
                    break
                draft.written.read(WAIT_SECONDS)
                yield None
        finally:
            if draft.written.ended is None:  # interrupted: the server need not write on
                self._drop()
        first = sentences[0] if sentences else None
        return replace(
            empty_answer(text),
            text=splitter.given if ended == "limit" else shown,
            first_sentence=first,
            survived=draft.survived,
            ended=ended,
            sentences=tuple(sentences),
            premade=first is not None and first == premade,
        )

    def _ask(self, text: str) -> _Draft:
        """Send a question in place of the last one."""
        self._drop()
        messages = [Message("system", INSTRUCTION)]
        shown = tuple(ChatTurn(*each) for each in EXAMPLES)
        for turn in (*shown, *self.own_turns[-HISTORY_TURNS:]):
            messages += [Message("user", turn.user), Message("assistant", turn.reply)]
        messages.append(Message("user", clean(text)[-MOST_CHARACTERS:]))
        self._draft = _Draft(self._asked(text), self._model.answer(messages, self.options.reply_tokens))
        return self._draft

    def _asked(self, text: str) -> Asked:
        """Return what tells one question from another: the conversation, and the question's words."""
        return tuple(self.own_turns), tuple(_WORD.findall(text.casefold()))

    def _drop(self) -> None:
        if self._draft is not None:
            self._draft.written.close()
            self._draft = None
