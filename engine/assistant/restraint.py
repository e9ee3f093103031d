"""Rules for a model's answer, whatever it writes: it repeats nothing, speaks for nobody else, and ends.

Small models fall into loops, continue with the user's next question, or read out their instructions.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from engine.answer.prompt import BRIEF_INSTRUCTION, EXAMPLES, INSTRUCTION
from engine.answer.sentences import is_code, sentences_of
from engine.answer.tools.calls import in_plain_words
from engine.assistant.reply_audio import CHARACTERS_A_SECOND

MOST_SECONDS = 75.0
"""Longest answer when spoken, in seconds; it ends with the sentence that is complete by then."""

LEAST_WORDS = 3
"""Fewest words of a sentence that may not be repeated. "Yes." or "I see." may, but not directly."""

ECHO_SHARE = 0.7
"""Share of a sentence's runs of three words at which it echoes the instruction, or repeats earlier sentences."""

MOST_ECHOED_RUNS = 5
"""Most consecutive runs of three words that a sentence may share with the instruction."""

LEAST_RUNS = 4
"""Fewest runs of three words of a sentence that may not consist of earlier ones."""

LEAST_ROUNDS, LEAST_LETTERS = 3, 80
"""Fewest repetitions, and their length in letters, at which an answer is stopped within a sentence."""

_OTHERS = re.compile(r"^\W*(?:user|human|you|question|q)\s*:|<\|?(?:im_start|im_end|user|endoftext|eot_id)\b", re.I)
_OWN = re.compile(r"^\W*(?:assistant|ai|bot|answer|response|earshot|system)\s*:\s*", re.I)
_CALL = re.compile(
    r"<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|\{\s*\"(?:name|function|tool|arguments|parameters)\"\s*:"
)
_MARK = re.compile(r"<\|[^|<>]*\|?>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>(?:user|model)?")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^\W*\d{1,2}[.):]\s")  # number of a list: a repeated item has another
_LOOP = re.compile(r"(\b\w.{0,60}?)(?:[\s,;]+\1\b){3,}", re.S | re.I)
"""The same words four times in a row."""
_TWICE = re.compile(r"(\S.*?[.!?])(?:\s+\1)+", re.S | re.I)
"""One short sentence, several times."""


class Restraint:
    """Passes the sentences of one answer on, until it goes wrong.

    Attributes:
        over: the rest of the answer is not to be said.
        held: part of it was held back.
    """

    def __init__(self, *instructions: str) -> None:
        """Restrain an answer. `instructions` are further texts that the model was given and must not read out."""
        self._instructed = _INSTRUCTED | _runs_of_texts(instructions)
        self.over = self.held = False
        self._said: set[tuple[str, ...]] = set()
        self._runs: set[tuple[str, ...]] = set()
        self._last: tuple[str, ...] = ()
        self._pairs: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()  # short sentences, with those before them
        self._characters = 0
        self._taken = 0

    def pass_on(self, sentences: Sequence[str], text: str = "") -> list[str]:
        """Return what may be said of the next sentences; `text` is the answer so far.

        If an unfinished sentence runs in a loop, its first round counts as a sentence.
        """
        self._taken += len(sentences)
        kept = self._kept(sentences)
        begun = None if self.over else first_round(text)
        if begun is not None:
            new = sentences_of(begun)[self._taken :]
            kept += self._kept([each for each in new if is_code(each) or not self._last])  # a fragment says nothing new
            self.over = self.held = True
        return kept

    def _kept(self, sentences: Sequence[str]) -> list[str]:
        kept = []
        for sentence in sentences:
            fit = "" if self.over else self._fit(sentence)
            self.held = self.held or fit != sentence or self.over
            if fit:
                kept.append(fit)
        return kept

    def _fit(self, sentence: str) -> str:
        """Return a sentence as it may be said; "" if it may not."""
        if is_code(sentence):
            return self._fit_code(sentence)
        if _OTHERS.search(sentence) or _CALL.search(sentence):
            self.over = True
            return ""
        plain = " ".join(_MARK.sub(" ", _OWN.sub("", sentence)).split())
        if twice := _TWICE.fullmatch(plain):
            plain = twice[1]
        if loop := _LOOP.search(plain):
            self.over = True
            begun = plain[: loop.end(1)] if loop.start() or not self._last else ""
            plain = begun.rstrip(" ,;") + "."
        words = tuple(_WORD.findall(_NUMBER.sub("", plain.casefold())))
        if not words or self._is_echo(words):
            return ""
        if self._is_said(words) or words in _SHOWN:
            self.over = True
            return ""
        self._said.add(words)
        self._pairs.add((self._last, words))
        self._last = words
        self._runs |= _runs_of(words)
        self._characters += len(plain)
        self.over = self.over or self._characters / CHARACTERS_A_SECOND >= MOST_SECONDS
        return plain

    def _fit_code(self, block: str) -> str:
        """Return a block of code, unless it was shown before."""
        words = tuple(_WORD.findall(block.casefold()))
        self.over = words in self._said
        self._said.add(words)
        return "" if self.over else block

    def _is_echo(self, words: tuple[str, ...]) -> bool:
        """Return whether a sentence is read out of the instructions."""
        marks = "".join("x" if words[place : place + 3] in self._instructed else " " for place in range(len(words) - 2))
        longest = max(map(len, marks.split()), default=0)
        return longest > MOST_ECHOED_RUNS or _share(words, self._instructed) >= ECHO_SHARE

    def _is_said(self, words: tuple[str, ...]) -> bool:
        """Return whether a sentence was said before, or consists of earlier ones."""
        if words in self._said and (len(words) >= LEAST_WORDS or words == self._last):
            return True
        if (self._last, words) in self._pairs:
            return True
        return len(_runs_of(words)) >= LEAST_RUNS and _share(words, self._runs) >= ECHO_SHARE


def first_round(text: str) -> str | None:
    """Return a text up to the end of the first round of the loop at its end; None if it ends in no loop.

    A block of code ends with a line, and is closed.
    """
    for period in range(1, len(text) // LEAST_ROUNDS + 1):
        if text[-1] != text[-1 - period] or not text.endswith(text[-period:] * LEAST_ROUNDS):
            continue
        begin = len(text) - period
        while begin and text[begin - 1] == text[begin - 1 + period]:
            begin -= 1
        if len(text) - begin - period >= LEAST_LETTERS and _WORD.search(text, begin):
            end = begin + period
            if text.count("```", 0, end) % 2 == 0:
                return text[:end]
            return text[: max(end, text.find("\n", end))].rstrip() + "\n```"
    return None


def _share(words: Sequence[str], known: Container[tuple[str, ...]]) -> float:
    """Return the known share of a sentence, in runs of three words."""
    runs = _runs_of(words)
    return sum(run in known for run in runs) / len(runs) if runs else 0.0


def _runs_of(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[place : place + 3]) for place in range(len(words) - 2)}


def _runs_of_texts(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(run for text in texts for run in _runs_of(_WORD.findall(text.casefold())))


_INSTRUCTED = _runs_of_texts((INSTRUCTION, BRIEF_INSTRUCTION, in_plain_words()))
_SHOWN = frozenset(tuple(_WORD.findall(question.casefold())) for question, _ in EXAMPLES)
"""Questions of the prompt's examples: an answer that asks one reads them all out."""
