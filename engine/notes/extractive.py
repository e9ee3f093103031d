"""Notes without a language model: sentences of the transcript are chosen, and nothing is made up.

The summary has the most central sentence of each topic (LexRank, Erkan and Radev 2004, over sentence vectors).
Decisions, tasks and open questions are found by what sentences do, and by how others reply to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from engine.answer.intents.encoder import Vectors, starter_encoder
from engine.answer.tools.wording import folded
from engine.notes.grammar import SaidSentence, named_in, names_in, said_sentences
from engine.notes.records import NoteLine, Notes, NotesSection, SaidLine, SectionKind
from engine.notes.topics import Topic, topics_of
from engine.notes.writer import NoteSteps

if TYPE_CHECKING:
    from engine.notes.template import NotesTemplate

FEWEST_SUMMARY, MOST_SUMMARY = 3, 5
"""Fewest and most sentences of a summary, where there are so many."""

USUAL_WORDS = 20
"""Number of words up to which a longer sentence is the better one for a summary."""

REPLY_LINES = 2
"""Number of lines behind a question or a request in which its reply is looked for."""

SHORT_WORDS = 5
"""Fewest words of a sentence that is understood without the one before it."""

SUMMARY_WORDS = (7, 40)
"""Fewest and most words of a sentence of the summary."""

DAMPING, ROUNDS = 0.85, 20
"""Share of a sentence's rank that comes from like sentences, and number of rounds of their exchange."""

STAYING = 1.0  # chosen in LOG 2026-11-29
"""Share by which another sentence must be more central than one of the last summary to take its place."""

LINES_A_PAUSE = 4
"""Number of lines that are read between two pauses."""


class ExtractiveWriter:
    """Chooses lines. The vectors of lines are kept, so that a grown transcript costs only its new lines, and so is the
    last summary: its sentences stay where others are hardly better.
    """

    def __init__(self) -> None:
        """Use the encoder that ships with Earshot."""
        self._encoder = starter_encoder()
        self._rarity = cache(self._encoder.rarity)
        self._vectors: dict[str, Vectors] = {}
        self._summary: frozenset[tuple[int, str]] = frozenset()  # lines' numbers, and sentences

    def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
        """Write notes; see NotesWriter."""
        new = [line.text for line in lines if line.text not in self._vectors]
        for begin in range(0, len(new), LINES_A_PAUSE):
            part = new[begin : begin + LINES_A_PAUSE]
            self._vectors.update(zip(part, self._encoder.encode_all(part), strict=True))
            yield
        vectors = np.array([self._vectors[line.text] for line in lines], np.float32)
        vectors = vectors[:, : vectors.shape[1] // 2] if len(lines) else vectors
        talk = Talk(lines)
        yield
        topics = topics_of(lines, vectors, self._rarity)
        yield
        sections = []
        for section in template.sections:
            found = tuple(self._found(section.kind, talk, topics, vectors))
            sections.append(NotesSection(section.kind, section.title, found))
            yield
        return Notes(template.name, tuple(sections))

    def _found(self, kind: SectionKind, talk: Talk, topics: Sequence[Topic], vectors: Vectors) -> list[NoteLine]:
        """Return the note lines of a kind."""
        match kind:
            case "summary":
                return self._summed_up(talk, topics, vectors)
            case "decisions":
                return talk.decisions()
            case "tasks":
                return talk.tasks()
            case "questions":
                return talk.questions()
            case "topics":
                return [NoteLine(topic.title, talk.numbers(topic.begin, topic.end)) for topic in topics if topic.title]

    def _summed_up(self, talk: Talk, topics: Sequence[Topic], vectors: Vectors) -> list[NoteLine]:
        """Return the most central sentence of each of the longest topics, and others up to the fewest of a summary."""
        ranks = centrality(vectors)

        def worth(each: SaidSentence) -> float:
            stays = 1 + STAYING * ((each.number, each.text) in self._summary)
            return float(ranks[each.line]) * min(len(each.text.split()), USUAL_WORDS) * stays

        best = sorted(filter(_is_telling, talk.sentences), key=worth, reverse=True)
        longest = sorted(topics, key=lambda topic: topic.begin - topic.end)[:MOST_SUMMARY]
        firsts = (next((each for each in best if topic.begin <= each.line < topic.end), None) for topic in longest)
        chosen = [each for each in firsts if each is not None]
        most = min(MOST_SUMMARY, FEWEST_SUMMARY + len(longest) - 1)
        chosen += [each for each in best if each not in chosen][: most - len(chosen)]
        self._summary = frozenset((each.number, each.text) for each in chosen)
        return [NoteLine(each.text, (each.number,)) for each in sorted(chosen, key=lambda each: each.order)]


def _is_telling(sentence: SaidSentence) -> bool:
    fewest, most = SUMMARY_WORDS
    acts = sentence.asks or sentence.promises or sentence.requests
    return not acts and fewest <= len(sentence.text.split()) <= most


def centrality(vectors: Vectors) -> Vectors:
    """Return the rank (n,) of each of n lines with vectors (n, d): how many others are like it, and their ranks."""
    if not len(vectors):
        return np.zeros(0, np.float32)
    alike = np.maximum(vectors @ vectors.T, 0)
    np.fill_diagonal(alike, 0)
    shares = alike / np.maximum(alike.sum(axis=1, keepdims=True), 1e-9)
    ranks: Vectors = np.full(len(vectors), 1 / len(vectors), np.float32)
    for _ in range(ROUNDS):
        ranks = ((1 - DAMPING) / len(vectors) + DAMPING * (ranks @ shares)).astype(np.float32)
    return ranks


class Talk:
    """The sentences of a transcript, with what they do to each other."""

    def __init__(self, lines: Sequence[SaidLine]) -> None:
        self._lines = lines
        self._names = names_in(lines)
        self.sentences = said_sentences(lines)
        grouped = {place: list(group) for place, group in groupby(self.sentences, key=lambda each: each.line)}
        self._by_line = [grouped.get(place, []) for place in range(len(lines))]

    def numbers(self, begin: int, end: int) -> tuple[int, ...]:
        """Return the numbers of the lines between two places."""
        return tuple(line.number for line in self._lines[begin:end])

    def decisions(self) -> list[NoteLine]:
        """Return what was decided: a conclusion of "we", or a sentence that tells of a decision."""
        return self._joined([each for each in self.sentences if self._decides(each)])

    def tasks(self) -> list[NoteLine]:
        """Return the tasks: promises, each with the request that it answers, and requests that nobody refused."""
        found: list[NoteLine] = []
        answers: set[int] = set()
        for each in self.sentences:
            if each.order in answers:
                continue
            if each.requests and not self._refused(each):
                reply = self._promise_to(each)
                new = reply is not None and reply.order not in answers
                answers |= {reply.order} if reply else set()
                found.append(self._asked_for(each, reply if new else None))
            elif self._commits(each):
                who = "" if "we" in folded(each.text).split()[:1] else self._doer(each)
                found.append(NoteLine(self._with_context(each), (each.number,), who, each.when))
        return found

    def questions(self) -> list[NoteLine]:
        """Return the questions whose answer nobody knew, or that were put off."""
        found: list[NoteLine] = []
        for each in self.sentences:
            if not each.asks or each.requests:
                continue
            doubt = self._doubt_about(each)
            if doubt is not None:
                rests_on = tuple(sorted({each.number, doubt.number}))
                found.append(NoteLine(self._with_context(each), rests_on))
        return found

    # --- decisions ---

    def _decides(self, each: SaidSentence) -> bool:
        if each.asks or "defers" in each.acts or "doubts" in each.acts:
            return False
        if "decides" in each.acts:
            return True
        return "group" in each.acts and "denies" not in each.acts and self._concludes(each)

    def _concludes(self, each: SaidSentence) -> bool:
        """Return whether a statement stands behind words of conclusion, in its sentence or before it in its line."""
        before = [other for other in self._by_line[each.line] if other.order < each.order]
        earlier = before[-1:]
        return any("concludes" in other.acts for other in (each, *earlier))

    def _joined(self, decisions: Sequence[SaidSentence]) -> list[NoteLine]:
        """Make a note of each decision, with the replies that agree; those of one line or of neighbours are one."""
        found: list[NoteLine] = []
        last = -2
        for each in decisions:
            agreed = self._agreement(each)
            if each.line <= last + 1:
                before = found[-1]
                numbers = tuple(sorted({*before.rests_on, each.number, *agreed}))
                found[-1] = NoteLine(f"{before.text} {each.text}", numbers)
            else:
                found.append(NoteLine(self._with_context(each), tuple(sorted({each.number, *agreed}))))
            last = each.line
        return found

    def _agreement(self, each: SaidSentence) -> list[int]:
        """Return the numbers of the lines behind a sentence that agree, as long as they do."""
        numbers = []
        for line in self._by_line[each.line + 1 : each.line + 1 + REPLY_LINES]:
            if not line or "assents" not in line[0].acts or line[0].asks:
                break
            numbers.append(line[0].number)
        return numbers

    # --- tasks ---

    def _commits(self, each: SaidSentence) -> bool:
        return each.promises and "doubts" not in each.acts and "decides" not in each.acts

    def _asked_for(self, request: SaidSentence, reply: SaidSentence | None) -> NoteLine:
        text, numbers = self._with_context(request), [request.number]
        who, when = named_in(request.text, self._names), request.when
        if reply is not None:
            text, numbers = f"{text} – {reply.text}", [request.number, reply.number]
            who, when = self._doer(reply), reply.when or when
        return NoteLine(text, tuple(numbers), who, when)

    def _doer(self, each: SaidSentence) -> str:
        """Return the person who does what a sentence promises: the named person who is to do it, else the speaker."""
        named = named_in(each.text, self._names)
        begins = each.text.lstrip().startswith(named) if named else False
        return named if begins else each.speaker

    def _promise_to(self, request: SaidSentence) -> SaidSentence | None:
        """Return the reply of another person to a request that promises or agrees to it."""
        for line in self._by_line[request.line + 1 : request.line + 1 + REPLY_LINES]:
            for each in line:
                if each.speaker == request.speaker and each.speaker:
                    break
                if each.promises or ("assents" in each.acts and "denies" not in each.acts and not each.asks):
                    promises = [other for other in line if other.promises]
                    return promises[0] if promises else each
        return None

    def _refused(self, request: SaidSentence) -> bool:
        replies = [each for line in self._by_line[request.line + 1 : request.line + 2] for each in line]
        return any("denies" in each.acts and "commits" in each.acts for each in replies[:1])

    # --- questions ---

    def _doubt_about(self, question: SaidSentence) -> SaidSentence | None:
        """Return the sentence behind a question that says that its answer is open."""
        replies = [each for line in self._by_line[question.line + 1 : question.line + 1 + REPLY_LINES] for each in line]
        same = [each for each in self._by_line[question.line] if each.order > question.order]
        for each in (*same, *replies):
            if "doubts" in each.acts or "defers" in each.acts:
                return each
        return None

    def _with_context(self, each: SaidSentence) -> str:
        """Return a sentence, behind the one before it in its line if it is too short to be understood alone."""
        if len(each.text.split()) >= SHORT_WORDS:
            return each.text
        before = self.sentences[each.order - 1] if each.order else None
        return f"{before.text} {each.text}" if before is not None and before.line == each.line else each.text
