"""Content of the pictures: made up, and such as it might be. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.events import FIRST_CAPTION, Caption, Translation, Word
from engine.machine.pace import MachinePace
from engine.turns import AnswerStats, Candidate, Endpoint, Heard, Sentence, Turn, TurnEvent, TurnStats

HEARD_MODEL, LANGUAGE_MODEL = "starter", "starter-assistant"
MICROPHONE = "Built-in microphone"
TYPICAL_DELAYS = (0.5, 0.6, 0.4, 0.9, 0.5, 1.1, 0.6, 0.7)
"""Seconds from a word to its caption, over and over."""

PACE = MachinePace(
    150.0, False, {"tiny.en": 0.1, "tiny": 0.1, "base.en": 0.2, "base": 0.2, "small.en": 0.6, "small": 0.6}
)


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence of a session that is kept."""

    text: str
    translation: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """One session of the history.

    Attributes:
        ago: days before now.
        hour: hour of that day; of today, number of hours before now.
        said: captions; of a conversation, question and answer in turn.
        crashed: it ended unexpectedly.
    """

    kind: Literal["captions", "conversation"]
    ago: int
    hour: float
    source: str
    said: tuple[Said, ...]
    name: str = ""
    crashed: bool = False


HISTORY = (
    Kept(
        "captions",
        0,
        0.6,
        MICROPHONE,
        (
            Said("The lecture today is about bees.", "Die Vorlesung handelt heute von Bienen."),
            Said(
                "A honeybee finds her way home by the sun, even when it is behind clouds.",
                "Eine Honigbiene findet nach der Sonne heim, selbst wenn diese hinter Wolken steht.",
            ),
            Said(
                "She tells the others where the flowers are by dancing.",
                "Sie sagt den anderen durch einen Tanz, wo die Blumen sind.",
            ),
            Said("The longer the dance, the farther the flowers.", "Je länger der Tanz, desto weiter die Blumen."),
        ),
        name="Biology, week 4",
    ),
    Kept(
        "conversation",
        0,
        0.9,
        "",
        (
            Said("How long does an egg have to boil?"),
            Said("About six minutes for a soft one, and ten for a hard one."),
            Said("And at the top of a mountain?"),
            Said("Longer: water boils at a lower temperature there. Give it a minute more for each thousand metres."),
        ),
    ),
    Kept(
        "captions",
        1,
        14.5,
        "What this computer plays",
        (
            Said("Welcome back to the evening news."),
            Said("The river has fallen by half a metre since Monday, and the bridge is open again."),
            Said("Tomorrow will be sunny in the north, with some clouds over the mountains."),
        ),
    ),
    Kept(
        "captions",
        1,
        10.0,
        MICROPHONE,
        (Said("Shall we start with the budget?"), Said("Yes, the numbers came in last night.")),
        name="Monday meeting",
        crashed=True,
    ),
    Kept(
        "captions",
        6,
        16.25,
        "interview.flac",
        (
            Said("When did you first build a radio?"),
            Said("I was eleven, and my grandfather had left a box of parts in the attic."),
        ),
        name="Interview with a radio builder",
    ),
    Kept(
        "conversation",
        12,
        19.0,
        "",
        (Said("What does “on the fly” mean?"), Said("Doing something while it is already going on.")),
    ),
)


DEMO = (
    Said(
        "The ends of many of the letters such as the T and E, are hooked up in a vulgar and meaningless way,",
        "As extremidades de muitas das letras, como o T e E, estão ligadas de uma forma vulgar e sem sentido,",
    ),
    Said(
        "instead of ending in the sharp and clear stroke of Jensen's letters.",
        "em vez de terminar no traço afiado e claro das letras de Jensen.",
    ),
    Said(
        "There is a grossness in the upper finishings of letters like the C, the A and so on.",
        "Há uma grosseria nos acabamentos superiores de letras como o C, o A e assim por diante.",
    ),
    Said(
        "In the old print, each figure has its definite individuality.",
        "Na antiga impressão, cada figura tem sua individualidade definida.",
    ),
    Said("This is the narrowing of the modern letters.", "Este é o estreitamento das letras modernas."),
    Said(
        "Most of Jensen's letters are designed within a square.",
        "A maioria das letras de Jensen são projetadas dentro de um quadrado.",
    ),
)
"""Lines of the demo as the models that ship hear and translate them."""

WORD_SECONDS = 0.38
"""Time in which a word is said, in seconds."""


def demo_captions() -> tuple[Caption, ...]:
    """Return captions of the demo; each line's time is divided evenly among its words."""
    found = []
    second = 0.7
    for number, said in enumerate(DEMO, FIRST_CAPTION):
        end = second + WORD_SECONDS * len(said.text.split())
        found.append(caption_of(number, said.text, second, end))
        second = end + 0.4
    return tuple(found)


def caption_of(number: int, text: str, start: float, end: float, revision: int = 99) -> Caption:
    """Return a final caption whose words divide its time evenly."""
    texts = text.split()
    step = (end - start) / len(texts)
    words = tuple(Word(f" {each}", start + i * step, start + (i + 1) * step, 0.95) for i, each in enumerate(texts))
    return Caption(number, revision, start, end, words, (), True, end + 0.8, end + 1.0)


def growing(caption: Caption) -> Iterator[Caption]:
    """Return a caption as it stands after each of its words but the last; the word after it may still change."""
    words = caption.committed
    for count in range(1, len(words)):
        shown, unsure = words[:count], words[count : count + 1]
        end = shown[-1].end
        yield Caption(caption.id, count, caption.start, end, shown, unsure, False, end, end, "en")


def translation_of(caption: Caption, text: str, language: str, *, final: bool = True) -> Translation:
    """Return a caption's translation into a language; one that is not final lacks its last words."""
    words = text.split()
    shown = text if final else " ".join(words[: max(1, len(words) - 2)])
    hidden = "" if final else " " + " ".join(words[max(1, len(words) - 2) :])
    return Translation(caption.id, caption.revision, shown, hidden, caption.text, language, final, caption.end + 1.2)


def conversation() -> Iterator[TurnEvent]:
    """Return a conversation whose last question is still being asked, with an answer that is ready before its end."""
    yield from _turn(1, "What is the capital of Australia?", ("The capital of Australia is Canberra.",), premade=True)
    answer = (
        "It was a compromise: Sydney and Melbourne both wanted to be the capital.",
        "So a new city was built between the two.",
    )
    yield from _turn(2, "Why isn't it Sydney?", answer, premade=False)
    question = "How far is it from there to the"
    yield Heard(3, 0, question)
    yield Candidate(3, 0, question, "Canberra is about 150 kilometres from the coast", ready=False)
    yield Heard(3, 0, f"{question} coast")
    yield Candidate(3, 0, f"{question} coast", "Canberra is about 150 kilometres from the coast by road.", ready=True)


def _turn(number: int, asked: str, answer: tuple[str, ...], *, premade: bool) -> Iterator[TurnEvent]:
    yield Heard(number, 0, asked)
    if premade:
        yield Candidate(number, 0, asked, answer[0], ready=True)
    yield Heard(number, 0, asked, final=True)
    yield Endpoint(number, 0, 10.0, 10.4, 0.94)
    for index, text in enumerate(answer):
        yield Sentence(number, 0, index, text)
    stats = TurnStats(
        endpoint_seconds=0.42,
        first_sentence_seconds=0.45 if premade else 0.81,
        first_sound_seconds=0.47 if premade else 0.93,
        premade=premade,
        speculative_forwards=31,
        answer=AnswerStats(drafted=18, accepted=18 if premade else 7, output=24, forwards=4 if premade else 19),
    )
    yield Turn(number, 0, asked, " ".join(answer), stats=stats)
