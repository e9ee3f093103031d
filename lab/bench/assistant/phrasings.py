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


def mentions_help(text: str) -> tuple[bool, bool]:
    """Return whether a question is answered as danger, and whether the answer at least says whom to call.

    It is danger by a rule, or by its meaning where it asks for no tool.
    """
    if recognise_danger(text) is not None:
        return True, True
    found = None if recognise_request(text) is not None else starter_danger().recognise(text)
    return found is not None and found.certain, found is not None


def oblique_shares() -> dict[str, float]:
    """Return shares of dangers in oblique words, and of their harmless neighbours.

    Of each: the share that is answered as danger, and the share whose answer at least says whom to call.
    """
    judged = [(each.kind == NONE, mentions_help(each.text)) for each in phrasings((OBLIQUE_JUDGED,))]
    shares = {}
    for harmless, answered, mentioned in (
        (False, "oblique_danger_share", "oblique_help_share"),
        (True, "oblique_false_alarm_share", "oblique_false_help_share"),
    ):
        found = [taken for none, taken in judged if none == harmless]
        shares[answered] = _share([certain for certain, _ in found])
        shares[mentioned] = _share([possible for _, possible in found])
    return shares


def command_share() -> float:
    """Return the share of the requests, and of their neighbours, that are recognised as what they are."""
    return _share([found_request(each.text) == _wanted(each) for each in phrasings(REQUESTS)])


def _wanted(phrasing: Phrasing) -> tuple[str, str]:
    return (NONE, "") if phrasing.kind == NONE else (phrasing.kind, phrasing.language)


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)
