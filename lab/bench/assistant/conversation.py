"""Spoken questions and requests through the whole assistant: what somebody waits for who speaks to it.

Where the PredGen paper begins to count when the text of a question is whole, here the last word has just been spoken:
hearing it, and making sure that nothing follows, take their time too. Every way hears the same recordings. The plain
cascade comes with a fixed silence, and with the end of turn that answering ahead has: only the difference from the
latter is due to answering ahead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from app.terminal.tables import Cell
from engine.answer.tools.follow_ups import call_in
from engine.answer.tools.outcomes import ToolOutcome, words_of
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
from engine.speak.choice import language_of
from engine.speak.reading import read_aloud
from engine.speak.voice import Utterance, Voice
from engine.turns import Endpoint, Sentence, Speech, ToolCall, Turn
from lab.bench.assistant.dialogues import is_right
from lab.bench.captions.clips import VOICES, Clip
from lab.bench.tables import Column, mean, part_of, percent, ratio, records_of, rounded
from lab.bench.translation.metrics import interval
from lab.recipes.assistant.dialogues import letters_of
from lab.recipes.assistant.tables import REQUESTS, Phrasing, phrasings
from lab.recipes.sentences.text import fraction
from lab.recipes.speech.espeak import espeak

BEFORE_SECONDS, AFTER_SECONDS = 0.5, 2.0
NOISE = 5e-4
PART_SAMPLES = 320
LEAST_POWER = 1e-3
"""Least power of a part of 20 ms that belongs to a word, as a share of the loudest part's: -30 dB."""

PLAIN, SAME, PUBLISHED, USUAL = "plain", "same-endpoint", "predgen", "earshot"


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
        ready_seconds: from the end of the last word until the beginning of that sound was made, in a guess or after
            it; below 0 it was there before the word had ended. None where nothing was said.
        forwards_ahead: forwards of the model before the last question was known.
        sentence_seconds: from the end of its last word until the text of the first sentence was there; None where
            nothing was said.
        gap_seconds: longest time within the answer without sound to play; None where nothing was said.
        processor_seconds: that the question took on all threads, hearing included unless it was heard before.
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
    ready_seconds: float | None = None
    forwards_ahead: int = 0
    sentence_seconds: float | None = None
    gap_seconds: float | None = None
    processor_seconds: float = 0.0

    @property
    def is_heard(self) -> bool:
        return letters_of(self.heard) == letters_of(self.spoken.text)

    @property
    def is_right(self) -> bool:
        return is_right(self.reply, self.spoken.reply)

    @property
    def is_done(self) -> bool:
        return self.call is not None and self.call == self.spoken.call

    @property
    def is_understood(self) -> bool:
        """Return whether it was answered otherwise than by an admission of doubt, which anyone can have ready."""
        return bool(self.reply) and not self.reply.startswith(words_of(ToolOutcome("unsure"), "en")[0])

    @property
    def is_ready_early(self) -> bool:
        """Return whether the first sound was there before the last word had ended."""
        return self.ready_seconds is not None and self.ready_seconds < 0


class NotingVoice:
    """A voice that notes when the beginning of each sentence was made.

    Attributes:
        made_seconds: those times on the clock, by the sentence as it is read aloud.
    """

    def __init__(self, voice: Voice, clock: Clock) -> None:
        """Speak with another voice."""
        self._voice = voice
        self._clock = clock
        self.made_seconds: dict[str, float] = {}

    @property
    def name(self) -> str:
        """Return the name of the voice that speaks."""
        return self._voice.name

    @property
    def rate_hz(self) -> int:
        """Return the sample rate of the voice that speaks."""
        return self._voice.rate_hz

    @property
    def language(self) -> str | None:
        """Return the language of the voice that speaks."""
        return self._voice.language

    @property
    def words_per_minute(self) -> int:
        """Return the rate of the voice that speaks."""
        return self._voice.words_per_minute

    @property
    def store_name(self) -> str | None:
        """Return the name under which the sound of the voice that speaks may be kept."""
        return self._voice.store_name

    def speak(self, sentence: str) -> Utterance:
        """Begin a sentence."""
        return _NotedUtterance(self._voice.speak(sentence), self, sentence)

    def note(self, sentence: str, chunk: Callable[[], Samples]) -> Samples:
        """Make the first chunk of a sentence; its computation counts though the clock learns of it later."""
        started = self._clock.timer()
        made = chunk()
        if len(made):
            self.made_seconds.setdefault(sentence, self._clock.now() + self._clock.timer() - started)
        return made


class _NotedUtterance:
    def __init__(self, utterance: Utterance, voice: NotingVoice, sentence: str) -> None:
        self._utterance = utterance
        self._voice = voice
        self._sentence = sentence

    def __iter__(self) -> Iterator[Samples]:
        return self

    def __next__(self) -> Samples:
        return self._voice.note(self._sentence, lambda: next(self._utterance))

    def close(self) -> None:
        self._utterance.close()


def ways(reply_tokens: int | None = None) -> tuple[ConversationMethod, ...]:
    """Return the plain cascade, which waits the same silence for every question, the same with the end of turn that the
    model tells, PredGen as published with it, and Earshot's default.

    Args:
        reply_tokens: longest reply, in place of the default's.
    """
    answer, turns = AnswerOptions(), TurnOptions()
    answer = answer if reply_tokens is None else replace(answer, reply_tokens=reply_tokens)
    silence = turns.silence_seconds
    alike = replace(turns, sure_silence_seconds=silence, doubtful_silence_seconds=silence)
    plain = replace(answer, speculate=False)
    return (
        ConversationMethod(PLAIN, f"plain cascade, {silence:g} s of silence", AssistantOptions(plain, turns=alike)),
        ConversationMethod(SAME, "plain cascade, the same end of turn", AssistantOptions(plain, turns=turns)),
        ConversationMethod(
            PUBLISHED, "PredGen, greedy", AssistantOptions(replace(answer, last_word=False), turns=turns)
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


def recorded(number: int, clip: Clip, end_seconds: float) -> Spoken:
    """Return a recorded question, with silence around it; `end_seconds`: when its last word ends, by alignment.

    The last word ends with its sound at the latest: alignment stretches it into silence, and answers would seem early.
    """
    text, heard = clip.text.capitalize() if clip.text.isupper() else clip.text, clip.listen()
    end_seconds = BEFORE_SECONDS + min(end_seconds, loud_until(heard))
    pieces = [np.zeros(round(BEFORE_SECONDS * SAMPLE_RATE_HZ), np.float32), heard]
    return Spoken(text, _in_a_quiet_room(number, pieces), end_seconds, None, call_in(text, ()))


def loud_until(samples: Samples) -> float:
    """Return when sound (n,) ends: the end of its last part that is not much softer than its loudest, in seconds."""
    count = len(samples) // PART_SAMPLES
    if not count:
        return len(samples) / SAMPLE_RATE_HZ
    power = (samples[: count * PART_SAMPLES].reshape(count, PART_SAMPLES) ** 2).mean(axis=1)
    loud = np.flatnonzero(power >= power.max() * LEAST_POWER)
    return float(loud[-1] + 1) * PART_SAMPLES / SAMPLE_RATE_HZ


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
        captions, now = CaptionOptions(language="en"), clock()
        noting = NotingVoice(voice, now)
        session = AssistantSession(recognizer, model, noting, way.options, captions, now, app=True)
        with closing(session):
            session.warm_up()
            return _ask(session, spoken, noting)

    return hold


def _ask(session: AssistantSession, spoken: Spoken, voice: NotingVoice) -> Answered:
    ended: float | None = None
    sounded: float | None = None
    written: float | None = None
    gaps, worked = _Gaps(), time.process_time()
    ready: float | None = None
    acted: float | None = None
    call: Call | None = None
    sentence = ""
    endings, last = 0, Turn(0, 0, "", "", "nothing")
    for event in feed(chunks_of(spoken.samples), session, pace="fast"):
        if isinstance(event, Endpoint):
            ended, sounded, written, endings = event.seconds, None, None, endings + 1
            gaps = _Gaps()
            acted = call = None
        elif isinstance(event, ToolCall):
            acted, call = session.clock.now(), Call(TOOLS[event.tool], event.language, event.arguments)
            session.hear_back(event.turn, event.revision, event.language, ToolOutcome("only_in_window"))
        elif isinstance(event, Sentence) and event.index == 0:
            written = session.clock.now()
            sentence = read_aloud(event.text, language_of(voice))
        elif isinstance(event, Speech):
            gaps.add(event, session.clock.now())
            if sounded is None:
                sounded = session.clock.now()
                ready = voice.made_seconds.get(sentence, sounded)
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
        None if ready is None or sounded is None else ready - spoken.end_seconds,
        last.stats.speculative_forwards,
        None if written is None else written - spoken.end_seconds,
        gaps.longest,
        time.process_time() - worked,
    )


class _Gaps:
    """Times in which an answer's sound had been played and no more was there.

    Attributes:
        longest: the longest, in seconds; None until there is sound.
    """

    def __init__(self) -> None:
        self.longest: float | None = None
        self._until = 0.0

    def add(self, speech: Speech, now: float) -> None:
        """Add sound that came now."""
        gap = 0.0 if self.longest is None else max(0.0, now - self._until)
        self.longest = max(self.longest or 0.0, gap)
        self._until = max(self._until, now) + len(speech.samples) / 4 / speech.rate_hz


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """The outcome of one way.

    Attributes:
        baseline: what the plain cascade with the same end of turn came to; None where it was not run.
    """

    way: ConversationMethod
    answered: Sequence[Answered]
    baseline: Sequence[Answered] | None = None

    @property
    def identical(self) -> float | None:
        """Return the share of replies that are the plain cascade's, of questions that both heard alike."""
        pairs = zip(self.answered, self.baseline or (), strict=False)
        return mean(each.reply == other.reply for each, other in pairs if each.heard == other.heard)

    @property
    def speedup(self) -> float | None:
        """Return how much sooner the first sound comes than with the same end of turn: the ratio of means.

        Questions that were heard otherwise are left out: other words end at other moments.
        """
        pairs = zip(self.baseline or (), self.answered, strict=False)
        waits = [(each.sound_seconds, own.sound_seconds) for each, own in pairs if each.heard == own.heard]
        both = [(plain, own) for plain, own in waits if plain is not None and own is not None]
        return ratio(mean(plain for plain, _ in both), mean(own for _, own in both))

    def ready_bound(self, place: int) -> float | None:
        """Return the lower (0) or upper (1) bound of the share of answers ready before the end, at 95%.

        Admissions of doubt do not count.
        """
        early = [float(each.is_ready_early) for each in self.answered if each.is_understood]
        found = interval(early, [1.0] * len(early))
        return None if found is None else (found.low, found.high)[place]

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
    *_times("sentence", lambda each: each.sentence_seconds, p50="TTFS s"),
    *_times("first_sound", lambda each: each.sound_seconds, p50="first sound s", p95="p95"),
    *_times("after_endpoint", _after_endpoint, p50="after endpoint"),
    Column("understood", lambda row: sum(each.is_understood for each in row.answered), "understood"),
    Column(
        "ready_before_end_share",
        lambda row: row.share(lambda each: each.is_ready_early, lambda each: each.is_understood),
        "ready early", percent,
    ),
    Column("ready_before_end_low", lambda row: row.ready_bound(0)),
    Column("ready_before_end_high", lambda row: row.ready_bound(1)),
    Column("speedup_same_endpoint", lambda row: row.speedup, "speedup"),
    Column("identical_share", lambda row: row.identical, "identical", percent),
    Column("forwards_ahead_per_turn", lambda row: mean(each.forwards_ahead for each in row.answered), "ahead"),
    Column("premade_share", lambda row: row.share(lambda each: each.premade), "pre-made", percent),
    Column(
        "longest_gap_seconds",
        lambda row: max((each.gap_seconds for each in row.answered if each.gap_seconds is not None), default=None),
        "gap s",
    ),
    Column("processor_seconds", lambda row: mean(each.processor_seconds for each in row.answered), "processor s"),
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
    """Return the headline numbers of Earshot's way, and the plain cascade's with the same end of turn.

    `speedup_spoken` is over the plain cascade with a fixed silence, `speedup_same_endpoint` over the other, by means.

    Args:
        asked_for: rows of requests.
    """
    by_way = {row.way.name: record for row, record in zip(found, records_of(COLUMNS, found), strict=True)}
    usual, plain, same = (by_way.get(name, {}) for name in (USUAL, PLAIN, SAME))
    names = ("sentence_seconds_p50", "first_sound_seconds_p50", "first_sound_seconds_p95", "longest_gap_seconds",
             "processor_seconds", "speedup_same_endpoint", "ready_before_end_share", "ready_before_end_low",
             "ready_before_end_high", "identical_share", "forwards_ahead_per_turn", "premade_share",
             "too_early_share", "right_share")  # fmt: skip
    waited = (record.get("first_sound_seconds_mean") for record in (plain, usual))
    speedup = ratio(*(float(each) if isinstance(each, float) else None for each in waited))
    done = next((record for record in records_of(REQUEST_COLUMNS, asked_for) if record["method"] == USUAL), {})
    of_requests = {f"request_{name}": done.get(name) for name in ("act_seconds_p50", "too_early_share", "done_share")}
    known: dict[str, Cell] = {
        "speedup_spoken": rounded(speedup),
        "first_sound_seconds_same_endpoint": same.get("first_sound_seconds_p50"),
    }
    return known | {name: usual.get(name) for name in names} | of_requests
