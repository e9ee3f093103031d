"""Spoken questions and requests through the whole assistant: what somebody waits for who speaks to it.

Where the PredGen paper begins to count when the text of a question is whole, here the last word has just been spoken:
hearing it, and making sure that nothing follows, take their time too. Every way hears the same recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from app.terminal.tables import Cell
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.table import TOOLS, Call
from engine.assistant.assistant import AssistantSession
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.clock import Clock
from engine.events import Latency
from engine.hear.recognizer import Recognizer
from engine.language.language_model import LanguageModel
from engine.metrics import latency_of
from engine.options import AnswerOptions, AssistantOptions, CaptionOptions, TurnOptions
from engine.speak.voice import Voice
from engine.turns import Endpoint, Speech, ToolCall, Turn
from lab.bench.assistant.dialogues import is_right
from lab.bench.captions.clips import VOICES, Clip
from lab.bench.tables import Column, mean, part_of, percent, ratio, records_of, rounded
from lab.recipes.assistant.dialogues import letters_of
from lab.recipes.assistant.tables import REQUESTS, Phrasing, phrasings
from lab.recipes.sentences.text import fraction
from lab.recipes.speech.espeak import espeak

BEFORE_SECONDS, AFTER_SECONDS = 0.5, 2.0
NOISE = 5e-4
PLAIN, USUAL = "plain", "earshot"


@dataclass(frozen=True, slots=True)
class ConversationMethod:
    """A way of holding a conversation."""

    name: str
    title: str
    options: AssistantOptions


@dataclass(frozen=True, slots=True)
class Spoken:
    """One question or request as the microphone hears it.

    Attributes:
        samples: (n,) at 16 kHz.
        end_seconds: where its last word ends.
        reply: the right answer.
        call: what it asks for, of a request.
    """

    text: str
    samples: Samples
    end_seconds: float
    reply: str | None = None
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The outcome of one question.

    Attributes:
        heard: the words it was taken for.
        endings: how often it was taken for finished.
        endpoint_seconds, sound_seconds: from the end of its last word until it was last taken for finished, and until
            the first sound after that; None where nothing was said.
        premade: the first sound had been made before the end of the turn.
        call, act_seconds: what was done last, and when, from the end of the last word; None where nothing was.
    """

    spoken: Spoken
    heard: str
    reply: str
    endings: int
    endpoint_seconds: float | None
    sound_seconds: float | None
    premade: bool
    call: Call | None = None
    act_seconds: float | None = None

    @property
    def is_heard(self) -> bool:
        return letters_of(self.heard) == letters_of(self.spoken.text)

    @property
    def is_right(self) -> bool:
        return is_right(self.reply, self.spoken.reply)

    @property
    def is_done(self) -> bool:
        return self.call is not None and self.call == self.spoken.call


def ways() -> tuple[ConversationMethod, ...]:
    """Return the plain cascade, which waits the same silence for every question, and Earshot's default, which answers
    ahead and asks the model whether a question is complete."""
    answer, turns = AnswerOptions(), TurnOptions()
    silence = turns.silence_seconds
    alike = replace(turns, sure_silence_seconds=silence, doubtful_silence_seconds=silence)
    return (
        ConversationMethod(
            PLAIN,
            f"plain cascade, {silence:g} s of silence",
            AssistantOptions(replace(answer, speculate=False), turns=alike),
        ),
        ConversationMethod(USUAL, "Earshot's default", AssistantOptions(answer, turns=turns)),
    )


def requests() -> list[Phrasing]:
    """Return the English requests of the table that change something, in a fixed, shuffled order."""
    found = [each for each in phrasings(REQUESTS) if each.language == "en" and each.kind in TOOLS]
    changing = [each for each in found if TOOLS[each.kind].changes]
    return sorted(changing, key=lambda each: (fraction(each.text, "bench"), each.text))


def speak(number: int, text: str, reply: str | None) -> Spoken:
    """Speak a text with a synthetic voice, with silence around it."""
    said = espeak().speak(text, VOICES[number % len(VOICES)])
    pieces = [np.zeros(round(BEFORE_SECONDS * SAMPLE_RATE_HZ), np.float32), said.samples]
    end_seconds = len(pieces[0]) / SAMPLE_RATE_HZ + said.words[-1][1]
    return Spoken(text, _in_a_quiet_room(number, pieces), end_seconds, reply, call_in(text, ()))


def recorded(number: int, clip: Clip) -> Spoken:
    """Return a recorded question whose words have their times, with silence around it."""
    text = clip.text.capitalize() if clip.text.isupper() else clip.text
    pieces = [np.zeros(round(BEFORE_SECONDS * SAMPLE_RATE_HZ), np.float32), clip.listen()]
    return Spoken(text, _in_a_quiet_room(number, pieces), BEFORE_SECONDS + clip.words[-1].end, None, call_in(text, ()))


def _in_a_quiet_room(number: int, pieces: Sequence[Samples]) -> Samples:
    samples = np.concatenate([*pieces, np.zeros(round(AFTER_SECONDS * SAMPLE_RATE_HZ), np.float32)])
    noise = np.random.default_rng(number).normal(0, NOISE, len(samples)).astype(np.float32)
    quiet: Samples = samples + noise
    return quiet


def holder(
    recognizer: Recognizer, model: LanguageModel, voice: Voice, clock: Callable[[], Clock]
) -> Callable[[ConversationMethod, Spoken], Answered]:
    """Return a function that asks one question in one of the ways, in a conversation of its own."""

    def hold(way: ConversationMethod, spoken: Spoken) -> Answered:
        captions = CaptionOptions(language="en")
        session = AssistantSession(recognizer, model, voice, way.options, captions, clock(), app=True)
        with closing(session):
            return _ask(session, spoken)

    return hold


def _ask(session: AssistantSession, spoken: Spoken) -> Answered:
    ended: float | None = None
    sounded: float | None = None
    acted: float | None = None
    call: Call | None = None
    endings, last = 0, Turn(0, 0, "", "", "nothing")
    for event in feed(chunks_of(spoken.samples), session, pace="fast"):
        if isinstance(event, Endpoint):
            ended, sounded, endings = event.seconds, None, endings + 1
            acted = call = None
        elif isinstance(event, ToolCall):
            acted, call = session.clock.now(), Call(TOOLS[event.tool], event.language, event.arguments)
            session.hear_back(event.turn, event.revision, event.language, ToolOutcome("only_in_window"))
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
        call,
        None if acted is None else acted - spoken.end_seconds,
    )


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """The outcome of one way."""

    way: ConversationMethod
    answered: Sequence[Answered]

    def share(self, so: Callable[[Answered], bool], among: Callable[[Answered], bool] = lambda each: True) -> Cell:
        """Return the share of questions of which something holds; None of nothing."""
        return mean(so(each) for each in self.answered if among(each))


def _times(
    name: str, seconds: Callable[[Answered], float | None], **titles: str
) -> tuple[Column[ConversationRow], ...]:
    """Return columns of a delay: its mean, p50 and p95."""

    def found(row: ConversationRow) -> Latency | None:
        return latency_of(passed for each in row.answered if (passed := seconds(each)) is not None)

    def column(part: str) -> Column[ConversationRow]:
        return Column(f"{name}_seconds_{part}", lambda row: part_of(found(row), part), titles.get(part, ""))

    return tuple(column(part) for part in ("mean", "p50", "p95"))


def _after_endpoint(each: Answered) -> float | None:
    if each.sound_seconds is None or each.endpoint_seconds is None:
        return None
    return each.sound_seconds - each.endpoint_seconds


COLUMNS: tuple[Column[ConversationRow], ...] = (
    Column("method", lambda row: row.way.name),
    Column("title", lambda row: row.way.title, "method"),
    Column("questions", lambda row: len(row.answered)),
    Column("silent", lambda row: sum(each.sound_seconds is None for each in row.answered)),
    *_times("endpoint", lambda each: each.endpoint_seconds, p50="endpoint s"),
    *_times("first_sound", lambda each: each.sound_seconds, p50="first sound s", p95="p95"),
    *_times("after_endpoint", _after_endpoint, p50="after endpoint"),
    Column("premade_share", lambda row: row.share(lambda each: each.premade), "pre-made", percent),
    Column("too_early_share", lambda row: row.share(lambda each: each.endings > 1), "too early", percent),
    Column("heard_share", lambda row: row.share(lambda each: each.is_heard), "heard", percent),
    Column(
        "right_share", lambda row: row.share(lambda each: each.is_right, lambda each: each.spoken.reply is not None),
        "right", percent,
    ),
)  # fmt: skip


REQUEST_COLUMNS: tuple[Column[ConversationRow], ...] = (
    *(column for column in COLUMNS if column.name in ("method", "title")),
    Column("requests", lambda row: len(row.answered)),
    *_times("act", lambda each: each.act_seconds if each.is_done else None, p50="act s", p95="p95"),
    *(column for column in COLUMNS if column.name in ("too_early_share", "heard_share")),
    Column("done_share", lambda row: row.share(lambda each: each.is_done), "done", percent),
)  # fmt: skip


def figures(found: Sequence[ConversationRow], asked_for: Sequence[ConversationRow] = ()) -> dict[str, Cell]:
    """Return the headline numbers of Earshot's way; the speed-up is over the plain cascade, by their means.

    Args:
        asked_for: rows of requests.
    """
    by_way = {row.way.name: record for row, record in zip(found, records_of(COLUMNS, found), strict=True)}
    usual, plain = by_way.get(USUAL, {}), by_way.get(PLAIN, {})
    names = ("first_sound_seconds_p50", "first_sound_seconds_p95", "premade_share", "too_early_share", "right_share")
    waited = (record.get("first_sound_seconds_mean") for record in (plain, usual))
    speedup = ratio(*(float(each) if isinstance(each, float) else None for each in waited))
    done = next((record for record in records_of(REQUEST_COLUMNS, asked_for) if record["method"] == USUAL), {})
    of_requests = {f"request_{name}": done.get(name) for name in ("act_seconds_p50", "too_early_share", "done_share")}
    return {"speedup_spoken": rounded(speedup)} | {name: usual.get(name) for name in names} | of_requests
