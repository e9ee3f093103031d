"""Follow-ups, whose meaning depends on earlier turns: "and in German?", "and in Tokyo?", "times two"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from engine.answer.tools.arithmetic import goes_on
from engine.answer.tools.outcomes import asks_which_timer
from engine.answer.tools.recognition import FOLLOW_UP, phrasings_of, recognise
from engine.answer.tools.table import INSTEAD, TOOLS, Call
from engine.answer.tools.wording import folded, tidy

MOST_WORDS = 6
"""Most words of a follow-up that names something else."""

_PREPOSITIONS = "about|of|in|for|on|to|from|with|until|uber|von|am|bis|zu|auf|a|de|sur|en|pour|sobre|para|hasta"
_OPENING = re.compile(
    r"(?:(?:and|or|now|but) )?(?:(?:what|how) about|and|or|und(?: was ist mit)?|et|y)(?: another one)? "
    rf"(?P<rest>(?:(?P<joint>{_PREPOSITIONS}) )?.+)"
)
_INSTEAD = re.compile(
    r"(?:(?:no|nope|oops|sorry|actually|rather|wait|i mean|i meant|make it|make that|nein|ich meine|ich meinte|lieber"
    r"|non|pardon|plutot|je voulais dire|mejor|perdon|quiero decir|queria decir),? )+"
    rf"(?P<rest>(?:(?P<joint>{_PREPOSITIONS}) )?.+)"
)
"""Words that correct the question before: "no, ten minutes"."""

_JOINT = re.compile(rf".*\b(?P<joint>{_PREPOSITIONS}) (?=.+)")
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|am|be|will|has|have|had|do|does|did|ist|sind|war|waren|hat|est|sont|etait|esta|estan)\b"
)
"""Verbs; a text with a verb of its own is no follow-up."""
_MORE = re.compile(
    r"(?:and )?(?:(?:a bit|a little|a lot|even|some) more|more|again|noch (?:etwas|ein bisschen|mehr)|encore|mas)"
)
_EARLIER = re.compile(
    r"(?:(?:and|und|et|y) )?(?:what (?:was|came) |was (?:war|kam) )?(?:(?:right|just|direkt|gleich|juste|justo) )?"
    r"(?:before (?:that|this|it)|davor|vorher|avant(?: ca| cela)?|antes(?: de eso)?)"
)
_JOINED = re.compile(r"(?i)^(?:(?:and|und|et|y|now|then|that) )+")
_STEPS = ("text_larger", "text_smaller")
"""Tools that do more of the same when they are called again."""


class EarlierTurn(Protocol):
    """One turn of the conversation."""

    @property
    def user(self) -> str: ...

    @property
    def reply(self) -> str: ...


def call_in(text: str, history: Sequence[EarlierTurn]) -> Call | None:
    """Find the tool that a text asks for behind these turns, oldest first; return None if it asks for none."""
    asked = recognise(text)
    if (asked is None or asked.name == "timer") and (which := _which_timer(text, history)) is not None:
        return which
    if asked is None or (asked.name == "calculate" and goes_on(asked.arguments["expression"], asked.language)):
        return _gone_on(text, history) or (asked.call if asked is not None else None)
    if asked.name != FOLLOW_UP:
        return asked.call
    language = asked.arguments["language"]
    for turn in reversed(history):
        before = recognise(turn.user)
        if before is not None and before.name == FOLLOW_UP:
            continue
        if before is not None and before.name == "translate_captions":
            return Call(TOOLS["translate_captions"], asked.language, {"language": language}, asked.ending)
        said = before.arguments["text"] if before is not None and before.name == "translate_phrase" else turn.reply
        return Call(TOOLS["translate_phrase"], asked.language, {"text": said, "language": language}, asked.ending)
    return None


def in_full(text: str, history: Sequence[EarlierTurn]) -> tuple[str, str] | None:
    """Return the question before a text, and the same question with the text in place of its topic.

    "And in Tokyo?" behind "What time is it in Rome?" is "What time is it in Tokyo". It may be no sensible question.
    None if the text is no follow-up.
    """
    found = _opening(text)
    if found is None or not history or len(text.split()) > MOST_WORDS or _SENTENCE.search(found["rest"]):
        return None
    *earlier, last = history
    before = in_full(last.user, earlier)
    question = tidy(last.user if before is None else before[1])
    rest = tidy(text)[found.start("rest") :]
    if found["joint"]:
        place = folded(f"{question} ").rfind(f" {found['joint']} ") + 1 or len(question := f"{question} ")
    else:
        joint = _JOINT.match(folded(question))
        place = joint.end() if joint else question.rfind(" ") + 1
    return (question, question[:place] + rest) if place else None


def _which_timer(text: str, history: Sequence[EarlierTurn]) -> Call | None:
    """Cancel the timer that a text names, where it was asked for just now."""
    before = recognise(history[-1].user) if history else None
    if before is None or before.name != "cancel_timer" or not asks_which_timer(history[-1].reply, before.language):
        return None
    named = phrasings_of(before.language).which_timer(tidy(text))
    return Call(before.call.tool, before.language, named) if named else None


def _gone_on(text: str, history: Sequence[EarlierTurn]) -> Call | None:
    """Find the tool of the question before, called again with the text's change."""
    if not history:
        return None
    before = call_in(history[-1].user, history[:-1])
    if before is None:
        return None
    if before.tool.name == "calculate":
        rest = _JOINED.sub("", tidy(text))
        if goes_on(rest, before.language):
            return Call(before.tool, before.language, {"expression": f"({before.arguments['expression']}) {rest}"})
    if before.tool.name in _STEPS and _MORE.fullmatch(folded(tidy(text))):
        return Call(before.tool, before.language)
    if before.tool.name == "last_lines" and _EARLIER.fullmatch(folded(tidy(text))):
        count, skipped = (int(before.arguments.get(name, "0")) for name in ("count", "skip"))
        return Call(before.tool, before.language, {**before.arguments, "skip": str(skipped + count)})
    full = in_full(text, history)
    asked = None if full is None else recognise(full[1])
    if asked is None or asked.name != before.tool.name:
        return None
    opening = _INSTEAD.fullmatch(folded(tidy(text)))
    if opening is None:
        return asked.call
    if "topic" in asked.arguments and not opening["joint"]:  # "no thanks" asks for nothing
        return None
    return replace(asked.call, arguments={**asked.arguments, INSTEAD: "1"}) if asked.name == "timer" else asked.call


def _opening(text: str) -> re.Match[str] | None:
    plain = folded(tidy(text))
    return _OPENING.fullmatch(plain) or _INSTEAD.fullmatch(plain)
