"""Spoken questions through the whole assistant: what somebody waits for who speaks to it.

Where the PredGen paper begins to count when the text of a question is whole, here the last word has just been spoken:
hearing it, and making sure that nothing follows, take their time too. Every way hears the same recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from engine.assistant.assistant import AssistantSession, converse
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.source import chunks_of
from engine.bench.assistant.dialogues import is_right
from engine.bench.captions.clips import VOICES
from engine.bench.captions.comparison import ratio
from engine.bench.tables import Cell, percent, table
from engine.clock import Clock
from engine.events import Latency
from engine.hear.recognizer import Recognizer
from engine.language.language_model import LanguageModel
from engine.metrics import latency_of
from engine.options import AnswerOptions, AssistantOptions, CaptionOptions, TurnOptions
from engine.recipes.assistant.dialogues import letters_of
from engine.recipes.speech.espeak import espeak
from engine.speak.voice import Voice
from engine.turns import Endpoint, Speech, Turn

BEFORE_SECONDS, AFTER_SECONDS = 0.5, 2.0
NOISE = 5e-4
PLAIN, AHEAD, USUAL = "plain", "ahead", "earshot"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of holding a conversation."""

    name: str
    title: str
    options: AssistantOptions


@dataclass(frozen=True, slots=True)
class Spoken:
    """One question as the microphone hears it.

    Attributes:
        samples: (n,) at 16 kHz.
        end_seconds: where its last word ends.
        reply: the right answer.
    """

    text: str
    samples: Samples
    end_seconds: float
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one question.

    Attributes:
        heard: the words it was taken for.
        endings: how often it was taken for finished.
        endpoint_seconds, sound_seconds: from the end of its last word until it was last taken for finished, and until
            the first sound after that; None where nothing was said.
        premade: the first sound had been made before the end of the turn.
    """

    spoken: Spoken
    heard: str
    reply: str
    endings: int
    endpoint_seconds: float | None
    sound_seconds: float | None
    premade: bool

    @property
    def is_heard(self) -> bool:
        return letters_of(self.heard) == letters_of(self.spoken.text)

    @property
    def is_right(self) -> bool:
        return is_right(self.reply, self.spoken.reply)


def ways() -> tuple[Way, ...]:
    """The plain cascade, which waits the same silence for every question; the same answering ahead; Earshot's default,
    which also asks the model whether a question is complete."""
    answer, turns = AnswerOptions(), TurnOptions()
    silence = turns.silence_seconds
    alike = replace(turns, sure_silence_seconds=silence, doubtful_silence_seconds=silence)
    return (
        Way(
            PLAIN,
            f"plain cascade, {silence:g} s of silence",
            AssistantOptions(replace(answer, speculate=False), turns=alike),
        ),
        Way(AHEAD, f"answering ahead, {silence:g} s of silence", AssistantOptions(answer, turns=alike)),
        Way(USUAL, "Earshot's default", AssistantOptions(answer, turns=turns)),
    )


def speak(number: int, text: str, reply: str | None, pause_seconds: float = 0.0) -> Spoken:
    """Have a synthetic voice say a question, with silence around it and, if asked for, a pause in its middle."""
    words, speaker = text.split(), VOICES[number % len(VOICES)]
    middle = len(words) // 2 if pause_seconds and len(words) > 2 else len(words)
    parts = [espeak().speak(" ".join(part), speaker) for part in (words[:middle], words[middle:]) if part]
    silences = [BEFORE_SECONDS, *[pause_seconds] * (len(parts) - 1)]
    pieces: list[Samples] = []
    end_seconds = 0.0
    for silence, part in zip(silences, parts, strict=True):
        pieces += [np.zeros(round(silence * SAMPLE_RATE_HZ), np.float32)]
        end_seconds = sum(map(len, pieces)) / SAMPLE_RATE_HZ + part.words[-1][1]
        pieces += [part.samples]
    samples = np.concatenate([*pieces, np.zeros(round(AFTER_SECONDS * SAMPLE_RATE_HZ), np.float32)])
    noise = np.random.default_rng(number).normal(0, NOISE, len(samples)).astype(np.float32)
    return Spoken(text, samples + noise, end_seconds, reply)


def holder(
    recognizer: Recognizer, model: LanguageModel, voice: Voice, clock: Callable[[], Clock]
) -> Callable[[Way, Spoken], Answered]:
    """What asks one question in one of the ways, in a conversation of its own."""

    def hold(way: Way, spoken: Spoken) -> Answered:
        captions = CaptionOptions(language="en")
        session = AssistantSession(recognizer, model, voice, way.options, captions, clock())
        with closing(session):
            return _ask(session, spoken)

    return hold


def _ask(session: AssistantSession, spoken: Spoken) -> Answered:
    ended: float | None = None
    sounded: float | None = None
    endings, last = 0, Turn(0, 0, "", "", "nothing")
    for event in converse(chunks_of(spoken.samples), session, pace="fast"):
        if isinstance(event, Endpoint):
            ended, sounded, endings = event.seconds, None, endings + 1
        elif isinstance(event, Speech) and sounded is None:
            sounded = session.clock.now()
        elif isinstance(event, Turn):
            last = event
    return Answered(
        spoken,
        last.prompt,
        last.reply,
        endings,
        None if ended is None else ended - spoken.end_seconds,
        None if sounded is None else sounded - spoken.end_seconds,
        last.stats.premade,
    )


def rows(found: Iterable[tuple[Way, Sequence[Answered]]]) -> list[dict[str, Cell]]:
    """What each way came to, as plain values."""
    return [_row(way, answered) for way, answered in found]


def _row(way: Way, answered: Sequence[Answered]) -> dict[str, Cell]:
    endpoint = latency_of(each.endpoint_seconds for each in answered if each.endpoint_seconds is not None)
    sound = latency_of(each.sound_seconds for each in answered if each.sound_seconds is not None)
    after = latency_of(
        each.sound_seconds - each.endpoint_seconds
        for each in answered
        if each.sound_seconds is not None and each.endpoint_seconds is not None
    )
    known = [each for each in answered if each.spoken.reply is not None]
    shares = {
        "premade_share": ratio(sum(each.premade for each in answered), len(answered)),
        "ended_early_share": ratio(sum(each.endings > 1 for each in answered), len(answered)),
        "heard_share": ratio(sum(each.is_heard for each in answered), len(answered)),
        "right_share": ratio(sum(each.is_right for each in known), len(known)),
    }
    return {
        "method": way.name,
        "title": way.title,
        "questions": len(answered),
        "silent": sum(each.sound_seconds is None for each in answered),
        **_latency("endpoint", endpoint),
        **_latency("first_sound", sound),
        **_latency("after_endpoint", after),
        **{name: None if share is None else round(share, 4) for name, share in shares.items()},
    }


def _latency(name: str, found: Latency | None) -> dict[str, Cell]:
    parts = ("mean", "p50", "p95")
    return {f"{name}_seconds_{part}": round(getattr(found, part), 4) if found else None for part in parts}


def conversation_table(found: Sequence[dict[str, Cell]]) -> str:
    """Everything for a person."""
    headers = (
        "method",
        "endpoint s",
        "first sound s",
        "p95",
        "after endpoint",
        "pre-made",
        "too early",
        "heard",
        "right",
    )
    medians = (
        "endpoint_seconds_p50",
        "first_sound_seconds_p50",
        "first_sound_seconds_p95",
        "after_endpoint_seconds_p50",
    )
    shares = ("premade_share", "ended_early_share", "heard_share", "right_share")
    cells = [
        (row["title"], *(row[name] for name in medians), *(_percent(row[name]) for name in shares)) for row in found
    ]
    return table(headers, cells, decimals=3)


def figures(found: Sequence[dict[str, Cell]]) -> dict[str, Cell]:
    """The headline numbers, of Earshot's way."""
    usual = next((row for row in found if row["method"] == USUAL), None)
    names = ("first_sound_seconds_p50", "first_sound_seconds_p95", "premade_share", "ended_early_share", "right_share")
    return {name: usual[name] if usual else None for name in names}


def _percent(share: Cell) -> str:
    return percent(share if isinstance(share, float | int) else None)
