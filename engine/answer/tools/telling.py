"""English statements, told from requests without a known phrasing: "Anna said the room was cold" asks nothing.

The classifier of intents was taught questions and requests alone, and mistakes a statement about a meeting for a
question about one. A request begins with a word that asks or orders, ends with a question mark, or has no verb of its
own.
"""

from __future__ import annotations

import re

from engine.answer.tools.wording import folded

_OPENINGS = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|now|and|but|then|um|uh|sorry|please|maybe|right|alright|earshot)[,:]? )+"
)
_ABOUT_SOMEBODY = re.compile(
    r"(?:he|she|they|we|it|this|that|these|those|there|here|his|her|their|our|my|not"
    r"|i(?!'d\b| would| want| need| missed| must| may| might| was| have| did| can| could| forgot))\b"
)
"""Beginnings of statements; no request has them."""

_ASKS = re.compile(
    r"(?:(?:at|in|on|by|for|to|of|with|from|about) )?(?:what|when|where|who|whom|whose|which|why|how)\b"
    r"|(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must)\b"
    r"|(?:any|heard any|once more|again|time left|anything|anybody|anyone|i|i'd|let's|according to|decisions|points"
    r"|questions|words|news|topics)\b"
    r"|(?:add|bookmark|bring|cancel|catch|change|close|continue|count|cut|download|drop|end|enlarge|explain|export"
    r"|fetch|fill|find|flag|get|give|go|have|help|hide|hold|increase|jump|keep|leave|let|list|look|make|mark|name"
    r"|note|nudge|open|pause|pin|ping|play|print|pull|put|quote|read|recall|recap|reduce|remember|remind|repeat"
    r"|resume|run|say|save|scan|search|send|set|show|skip|start|stop|store|subtitle|sum|summarise|summarize|switch|take"
    r"|tell|transcribe|translate|turn|undo|wake|write)\b"
)
_QUESTION_INSIDE = re.compile(r"\b(?:what|when|where|why|how|who) (?:do|does|did)\b")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|had|do|does|did|can|could|will|would|should|must|might|(?:is|are|was|were|has|had|do"
    r"|does|did|ca|could|wo|would|should)n't|says|wants|needs|works|starts|ends|comes|goes|costs|takes|makes|means"
    r"|knows|thinks|likes|seems|gives|said|told|sent|took|made|gave|left|went|came|got|heard|spoke|met|found|thought"
    r"|knew|saw|kept|felt|began|ran|held|stood|lost|paid|brought|bought|built|caught|chose|drew|drove|ate|fell|forgot"
    r"|grew|led|rose|sold|sat|spent|taught|threw|understood|won|wore|wrote|agreed|come|want|\w{2,}(?<!e)ed)\b"
    r"|\b\w{2,}[^s\W]s (?:the|an?|my|your|his|her|its|our|their|it|him|us|me|that)\b"
)


def tells_of_somebody(text: str) -> bool:
    """Return whether a text begins and continues as no request does: "We talked about it", "She left"."""
    first, *others = _clauses(text)
    return not _is_question(text) and _ABOUT_SOMEBODY.match(first) is not None and not any(map(_ASKS.match, others))


def tells(text: str) -> bool:
    """Return whether a text is a statement."""
    if _is_question(text) or _QUESTION_INSIDE.search(folded(text)) or any(map(_ASKS.match, _clauses(text))):
        return False
    return _VERB.search(folded(text)) is not None


def _is_question(text: str) -> bool:
    return text.rstrip().endswith("?")


def _clauses(text: str) -> list[str]:
    """Cut a text at its marks; return the parts without opening words such as "okay"."""
    return [_OPENINGS.sub("", f"{part.strip()} ", count=1) for part in re.split(r"[,.;:!]+ ", folded(text).strip())]
