"""Shares of the tables of phrasings that are recognised as what they are."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answer.intents.classifier import starter_classifier
from engine.answer.safety.meaning import starter_danger
from engine.answer.safety.recognition import recognise as recognise_danger
from engine.answer.tools.by_meaning import call_by_meaning
from engine.answer.tools.recognition import recognise as recognise_request
from engine.assistant.doubt import as_taught
from lab.recipes.assistant.tables import NONE, OBLIQUE_JUDGED, REQUESTS, SAFETY, Phrasing, phrasings


def found_danger(text: str) -> tuple[str, str]:
    """Return the danger that is recognised, and in which language."""
    found = recognise_danger(text)
    return (NONE, "") if found is None else (found.danger, found.language)


def found_request(text: str) -> tuple[str, str]:
    """Return the tool that is recognised, by the phrasing or by its meaning, and in which language."""
    found = recognise_request(text)
    if found is not None:
        return found.name, found.language
    meant = call_by_meaning(as_taught(text), (), starter_classifier())
    return (NONE, "") if meant is None else (meant.tool.name, meant.language)


def safety_share() -> float:
    """Return the share of the phrasings of danger, and of their harmless neighbours, that are recognised as what they
    are."""
    return _share([found_danger(each.text) == _wanted(each) for each in phrasings(SAFETY)])


def is_danger(text: str) -> bool:
    """Return whether a question is answered as danger: by a rule, or by its meaning where it asks for no tool."""
    if recognise_danger(text) is not None:
        return True
    return recognise_request(text) is None and starter_danger().recognise(text) is not None


def oblique_shares() -> dict[str, float]:
    """Return the shares that are taken for danger: of dangers in oblique words, and of their harmless neighbours."""
    judged = [(each.kind == NONE, is_danger(each.text)) for each in phrasings((OBLIQUE_JUDGED,))]
    shares = {False: "oblique_danger_share", True: "oblique_false_alarm_share"}
    return {name: _share([taken for none, taken in judged if none == harmless]) for harmless, name in shares.items()}


def command_share() -> float:
    """Return the share of the requests, and of their neighbours, that are recognised as what they are."""
    return _share([found_request(each.text) == _wanted(each) for each in phrasings(REQUESTS)])


def _wanted(phrasing: Phrasing) -> tuple[str, str]:
    return (NONE, "") if phrasing.kind == NONE else (phrasing.kind, phrasing.language)


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)
