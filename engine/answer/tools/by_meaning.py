"""Requests without a known phrasing: a classifier finds the tool, and its arguments are searched for in the text.

Phrasings (engine.answer.tools.recognition) come first: they know every word of a request. Here the meaning of an
English text counts; if an argument is missing, such as a timer's length, it is no request.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from engine.answer.tools.dates import MOST_TIMER_SECONDS, duration_expression, read_duration
from engine.answer.tools.follow_ups import EarlierTurn, in_full
from engine.answer.tools.numbers import NUMBER, read_number
from engine.answer.tools.recognition import MOST_LINES, phrasings_of
from engine.answer.tools.table import TOOLS, Call
from engine.answer.tools.telling import tells, tells_of_somebody
from engine.answer.tools.wording import folded

if TYPE_CHECKING:
    from engine.answer.intents.classifier import IntentClassifier

MOST_WORDS = 25
"""Most words of a request in words of its own."""

_MARKS = " .?!…"
"""Marks around a request, which do not change its meaning."""

_TOPICS = frozenset(("said_about", "when_about"))
_OF_THE_MEETING = _TOPICS | {"missed", "last_lines"}
"""Tools that look at what was said: sentences about a meeting are near to questions about it."""

_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|on (?:the )?(?:subject|topic|matter|question|issue) of|on)\b(?P<topic>.+)$"
)
_BEHIND = re.compile(
    r"(?:[,. ]+(?:so far|yet|just now|today|again|at all|then|please|exactly|earlier|before|in brief"
    r"|(?:in|during|from) (?:the|this|our|that|today's) (?:meeting|call|captions|transcript|talk|conversation|lecture)"
    r"|what did (?:he|she|they|we) say|come up|came up))+$"
)
REFERENCES = frozenset(("it", "its", "he", "his", "him", "she", "her", "they", "their", "them", "there", "then"))
_ARTICLE = re.compile(r"\b(?:the|a|an|our|my|your|his|her|their|this|that)$")


def call_by_meaning(text: str, history: Sequence[EarlierTurn], classifier: IntentClassifier) -> Call | None:
    """Find the tool that a text asks for behind these turns by its meaning; return None if it asks for none."""
    if len(text.split()) > MOST_WORDS or tells_of_somebody(text):
        return None
    return _meant(text, classifier) or _gone_on(text, history, classifier)


def _meant(text: str, classifier: IntentClassifier) -> Call | None:
    found = classifier.classify(text.strip(_MARKS))
    if found.kind != "tool" or not found.sure or (found.name in _OF_THE_MEETING and tells(text)):
        return None
    arguments = arguments_in(found.name, text)
    return None if arguments is None else Call(TOOLS[found.name], "en", arguments)


def _gone_on(text: str, history: Sequence[EarlierTurn], classifier: IntentClassifier) -> Call | None:
    """Find the tool of the question before, with this text in place of its topic."""
    full = in_full(text, history)
    if full is None:
        return None
    before, call = (_meant(question, classifier) for question in full)
    return call if before is not None and call is not None and before.tool == call.tool else None


def refers_back(call: Call, text: str) -> bool:
    """Return whether a search for what was said has one word to go by, in a question about what was named before."""
    if call.tool.name not in _TOPICS or len(call.arguments["topic"].split()) > 1:
        return False
    return not REFERENCES.isdisjoint(_words(text))


def arguments_in(tool: str, text: str) -> Mapping[str, str] | None:
    """Find a tool's arguments in a text; return None if a required one is missing."""
    match tool:
        case _ if tool in _TOPICS:
            topic = topic_of(text)
            return {"topic": topic} if topic else None
        case "translate_captions":
            language = phrasings_of("en").language_in(text)
            return {"language": language} if language else None
        case "timer":
            seconds = _seconds_in(text)
            return {"seconds": f"{seconds:g}"} if seconds and seconds <= MOST_TIMER_SECONDS else None
        case "missed":
            seconds = _seconds_in(text)
            return {"seconds": f"{seconds:g}"} if seconds else {}
        case "last_lines":
            return {"count": _count_in(text)}
        case _:
            return {}


def topic_of(text: str) -> str:
    """Find the topic of a question about the meeting: the words after "about", or the words that do not ask."""
    asking, joins = phrasings_of("en").asking, phrasings_of("en").joining
    plain = text.strip(_MARKS)
    if about := _ABOUT.search(plain.lower()):
        topic = _without_end(plain[about.start("topic") :])
        if any(word not in asking for word in _words(topic)):
            return topic
    return _last_run(re.findall(r"[^\s,;:?!]+", plain), asking, joins)


def _last_run(pieces: Sequence[str], asking: Set[str], joins: Set[str]) -> str:
    """Find the last words in a row that do not ask, with the words that join them."""
    runs: list[list[str]] = []
    joined = False  # the previous word belongs to a run, or joins two of its parts
    for place, piece in enumerate(pieces):
        telling = any(word not in asking for word in _words(piece))
        follows = any(word not in asking for other in pieces[place + 1 : place + 3] for word in _words(other))
        if telling and joined:
            runs[-1].append(piece)
        elif telling:
            article = pieces[place - 1 : place] if place and _ARTICLE.fullmatch(pieces[place - 1].lower()) else []
            runs.append([*article, piece])
        elif joined and piece.lower() in joins and follows:
            runs[-1].append(piece)
            continue
        joined = telling
    return " ".join(runs[-1]) if runs else ""


def _without_end(topic: str) -> str:
    plain = topic.strip(" ,.?!\"'“”")
    return plain[: end.start()] if (end := _BEHIND.search(plain.lower())) else plain


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", folded(text).replace("'", "").replace("’", ""))


def _seconds_in(text: str) -> float | None:
    """Find a duration in a text: the longest reading of it."""
    plain = folded(text)
    words = plain.split()
    for length in range(min(len(words), 8), 0, -1):
        for place in range(len(words) - length + 1):
            part = " ".join(words[place : place + length]).strip(" ,.?!")
            if re.fullmatch(duration_expression("en"), part) and (found := read_duration(part, "en")):
                return found
    lone = re.search(r"\b(?:last|past) (minute|hour)\b", plain)
    return read_duration(f"1 {lone[1]}", "en") if lone else None


def _count_in(text: str) -> str:
    plain = folded(text)
    for match in re.finditer(rf"\b{NUMBER}\b", plain):
        number = read_number(match.group().strip(), "en")
        if number is not None and number.denominator == 1 and 1 < number <= MOST_LINES:
            return str(number)
    return "1"
