"""Variations of a question: how people put what they ask, and how hearing writes it. The starter assistant's questions
are varied by them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

LIKE_WRITTEN, LIKE_TYPED = 0.45, 0.3  # else with case and without its mark
LOST_SHARE, REPLACED_SHARE = 0.12, 0.05  # of the words of a question that is not heard well
OPENINGS = (
    "Hey Earshot,", "Earshot,", "Please,", "Okay,", "So,", "Well,", "Um,", "Hi,", "Hello,", "Tell me,", "Excuse me,",
    "One question:", "I have a question.", "Can you tell me,", "Could you tell me,", "Do you know,", "I wonder,",
    "Quick question:", "And", "But", "Now", "Listen,", "Say,", "Alright,",
)  # fmt: skip
CLOSINGS = ("please", "thanks", "then", "now", "exactly", "again", "Earshot", "for me", "today")
SAME = (
    ("what is", "what's", "what would be"),
    ("who is", "who's"),
    ("where is", "where's", "where do i find"),
    ("it is", "it's"),
    ("that is", "that's"),
    ("i am", "i'm"),
    ("you are", "you're"),
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("cannot", "can't", "can not"),
    ("i would like to", "i want to", "i'd like to", "i wish to", "let me"),
    ("can you", "could you", "would you", "are you able to", "will you"),
    ("how do i", "how can i", "how would i", "how should i", "how am i to"),
    ("how can you", "how do you", "how would you"),
    ("tell me about", "talk about", "say something about", "explain"),
    ("do you know", "can you say", "could you say", "any idea"),
    ("give me", "let me have", "i need", "offer me"),
    ("show me", "let me see"),
    ("i have", "i've got", "i have got"),
    ("do you have", "have you got", "have you"),
    ("is there", "do you have", "would there be"),
    ("what does", "what do you think"),
    ("how come", "why is it that", "for what reason"),
    ("a lot of", "lots of", "many"),
    ("turn on", "switch on", "enable"),
    ("turn off", "switch off", "disable"),
    ("big", "large"),
    ("begin", "start"),
    ("end", "stop", "finish"),
    ("fast", "quick"),
    ("speak", "talk"),
    ("need", "require"),
    ("change", "set", "adjust"),
    ("choose", "pick", "select"),
    ("save", "keep", "store"),
    ("hear", "listen to"),
    ("maybe", "perhaps"),
    ("very", "really", "so"),
    ("good", "nice", "great"),
    ("sad", "unhappy"),
    ("happy", "glad"),
    ("tired", "exhausted"),
    ("angry", "mad", "furious"),
    ("afraid", "scared"),
    ("funny", "amusing"),
    ("stupid", "dumb"),
    ("clever", "smart", "intelligent"),
    ("computer", "machine", "laptop"),
    ("subtitles", "captions"),
    ("microphone", "mic"),
    ("assistant", "helper"),
    ("program", "app", "application", "software"),
    ("picture", "image"),
    ("error", "mistake"),
    ("help", "assist"),
    ("fix", "repair"),
    ("buy", "get", "purchase"),
    ("doctor", "physician"),
    ("kids", "children"),
    ("film", "movie"),
)
"""Words that may stand for each other where a question says one of them. That some of what comes of it is odd or not
quite the same does no harm: the answer to a question of few intents seldom hangs on one such word."""

_SAME = {words: [each for each in group if each != words] for group in SAME for words in group}
_ANY = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _SAME), key=len, reverse=True))})\b", re.IGNORECASE)


def reworded(question: str, random: Random) -> str:
    """Replace by their alternatives about half of the words that have some."""

    def other(found: re.Match[str]) -> str:
        if random.random() < 0.5:
            return found[0]
        words = random.choice(_SAME[found[0].lower()])
        begins = found[0][0].isupper() and (found.start() == 0 or words.startswith("i"))
        return words[0].upper() + words[1:] if begins else re.sub(r"\bi\b", "I", words)

    return _ANY.sub(other, question)


def misheard(question: str, words: Sequence[str], random: Random) -> str:
    """Lose some words and put others in the place of some; at least half of them stay, and two words stay both."""
    parts = question.split()
    heard = []
    for part in parts:
        chance = random.random()
        if chance >= LOST_SHARE + REPLACED_SHARE:
            heard.append(part)
        elif chance >= LOST_SHARE:
            heard.append(random.choice(words).strip(".?!,").lower())
    kept = sum(part in heard for part in parts)
    return " ".join(heard) if len(parts) > 2 and kept * 2 >= len(parts) else question


def opened(question: str, random: Random) -> str:
    """Put a few words before it that ask for nothing."""
    opening = random.choice(OPENINGS)
    keeps = question.startswith(("I ", "I'")) or not question[1:2].islower() or opening.endswith(".")
    return f"{opening} {question if keeps else question[0].lower() + question[1:]}"


def dressed(question: str, random: Random) -> str:
    """Put a few words before or behind it that ask for nothing."""
    if random.random() < 0.7:
        return opened(question, random)
    mark = question[-1] if question[-1] in ".?!" else ""
    return f"{question.rstrip('.?!')}, {random.choice(CLOSINGS)}{mark}"


def spelled(question: str, random: Random) -> str:
    """Return it as it is written, as people type it, or as hearing writes it before the end."""
    choice = random.random()
    if choice < LIKE_WRITTEN:
        return question
    bare = question.rstrip(".?!")
    return re.sub(r"[,:;]", "", bare.lower()) if choice < LIKE_WRITTEN + LIKE_TYPED else bare
