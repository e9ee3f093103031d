"""Streams of audio that are heard side by side, such as a microphone and the sound that the computer plays.

Each side has a session of captions of its own, with a voice gate, a buffer and a step; the sides share the model and
the computing time. Rounds take turns, and every side counts the costs of the others, so that on a slow machine all
captions come later and no side is heard worse. A side on which nobody speaks costs no more than its gate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from engine.audio.feed import SideChunk
from engine.captions.call_echo import CallEcho
from engine.captions.session import CaptionSession
from engine.events import (
    Caption,
    Incident,
    LoadShed,
    RoundStats,
    SecondLookSummary,
    Shown,
    SpeakerLabel,
    SpokenTranslation,
    Summary,
    Translation,
    TranslationSummary,
)
from engine.metrics import latency_of, real_time_factor
from engine.translate.spoken import TranslationSpeaker

if TYPE_CHECKING:
    from engine.speak.voice import Voice
    from engine.translate.interpreter import CaptionTranslation

SomeShown = TypeVar("SomeShown", Caption, Translation, SpokenTranslation, SpeakerLabel, Shown, Shown | None)

MICROPHONE, CALL = 0, 1
"""Numbers of the sides of a call."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the text."""

    start: float
    speaker: str
    text: str


class CaptionSides:
    """Captions several streams as one; their sessions share the counter that numbers captions.

    With a single side it behaves as that side's session. Call `add_audio` and `update` in turn and `finish` once at
    the end, all on one thread.

    Attributes:
        incidents: repaired problems; whoever reports them removes them.
    """

    def __init__(self, sessions: Sequence[CaptionSession], echo: CallEcho | None = None) -> None:
        """Hear each side with a session of its own.

        With `echo` the first side is a microphone, and the sound of the second that it hears from a loudspeaker is
        removed.
        """
        self.incidents: deque[Incident] = sessions[0].incidents
        self._sessions = tuple(sessions)
        self._turn = 0
        self._told = [-1] * len(sessions)  # the newest round of each side that somebody was told of
        self._lines: dict[int, _Line] = {}  # of the text, by the caption's id
        self._named: dict[int, str] = {}  # speakers of captions, as they are told apart by voice
        self._echo = echo
        for session in sessions[1:]:
            session.incidents = self.incidents

    @property
    def audio_seconds(self) -> float:
        """Return the second up to which audio was added, on the side that is furthest."""
        return max(session.audio_seconds for session in self._sessions)

    @property
    def translating(self) -> bool:
        """Return whether there is anything to translate now."""
        return any(session.translating for session in self._sessions)

    @property
    def summary(self) -> Summary:
        """Return the figures of all sides so far."""
        parts = [session.summary for session in self._sessions]
        if len(parts) == 1:
            return parts[0]
        computed = sum(part.compute_seconds for part in parts)
        audio_seconds = max(part.audio_seconds for part in parts)
        return Summary(
            text="\n".join(
                f"{line.speaker}: {line.text}" if line.speaker else line.text
                for line in sorted(self._lines.values(), key=lambda line: line.start)
            ),
            audio_seconds=audio_seconds,
            rounds=sum(part.rounds for part in parts),
            compute_seconds=computed,
            real_time_factor=real_time_factor(computed, audio_seconds),
            word_latency_seconds=latency_of(each for session in self._sessions for each in session.latencies),
            language=next((part.language for part in parts if part.language), None),
            translation=_sum_of([part.translation for part in parts if part.translation]),
            forwards=sum(part.forwards for part in parts),
            tokens=sum(part.tokens for part in parts),
            second_look=_looks_of(parts),
            label_seconds=sum(part.label_seconds for part in parts),
        )

    @property
    def shed(self) -> LoadShed:
        """Return what is left out on the side that has the least time, since the machine is too slow."""
        return max(session.shed for session in self._sessions)

    def progress(self) -> Iterator[tuple[int, float, bool, LoadShed]]:
        """Yield each side's number, the second up to which its audio was added, whether it speaks, what is left out."""
        for side, session in enumerate(self._sessions):
            yield side, session.audio_seconds, session.speaking, session.shed

    def new_stats(self) -> Iterator[RoundStats]:
        """Yield the costs of the rounds since the last call."""
        for side, session in enumerate(self._sessions):
            told, self._told[side] = self._told[side], session.stats[-1].round if session.stats else -1
            yield from (replace(each, side=side) for each in session.stats if each.round > told)

    def report_stages_to(self, report: Callable[[], None]) -> None:
        """Report every stage of a round, on the thread that hears: a long round then shows that it moves on."""
        for session in self._sessions:
            session.report_stages_to(report)

    def report_rounds_to(self, report: Callable[[], None]) -> None:
        """Report, on any thread, that `update` has a result to show that it did not wait for."""
        for session in self._sessions:
            session.on_round_done = report

    def translate_with(self, make: Callable[[], CaptionTranslation] | None, voice: Voice | None = None) -> None:
        """Translate later changes with other translators, one for each side, or stop translating.

        `voice` speaks the translations: of a call those of the other side, whom the person here listens to.
        """
        for session in self._sessions:
            translation, speaker = make() if make is not None else None, None
            if translation is not None and voice is not None and session is self._sessions[-1]:
                target = translation.options.target
                speaker = TranslationSpeaker(voice, target, session.clock, session.audio_seconds)
            session.translate_with(translation, speaker)

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Translate these final captions too, of this session or an earlier one."""
        self._sessions[0].translate_also(captions)

    @property
    def has_spare_work(self) -> bool:
        """Return whether there is anything to do while no round is due: a translation, or a second look."""
        return any(session.has_spare_work for session in self._sessions)

    def do_spare_work(self) -> Shown | None:
        """Work for the time of one forward, for the next side that waits for it; return what there is to show."""
        self._turn += 1
        for side in self._in_turn():
            if self._sessions[side].has_spare_work:
                return self._noted(self._sessions[side].do_spare_work())
        return None

    def add_audio(self, chunk: SideChunk) -> None:
        """Add the next samples of a side, float32 at 16 kHz; nothing is computed before `update`."""
        side, samples = chunk
        if self._echo is not None and side == CALL:
            self._echo.add_call(samples)
        if self._echo is not None and side == MICROPHONE:
            samples = self._echo.add_microphone(samples)
        self._sessions[side].add_audio(samples)

    def update(self) -> Iterator[Shown]:
        """Hear what is due, another side first each time; nothing happens until the iterator is used up."""
        self._turn += 1
        for side in self._in_turn():
            yield from self._heard(side, self._sessions[side].update())

    def finish(self) -> Iterator[Shown]:
        """Hear the newest audio of all sides once more, make every caption final, and translate all."""
        if self._echo is not None:
            self._sessions[MICROPHONE].add_audio(self._echo.finish())
        for side, session in enumerate(self._sessions):
            yield from self._heard(side, session.finish())

    def wait_until(self, seconds: float) -> Iterator[Shown]:
        """Wait until it is `seconds` on the clock; meanwhile yield what `work_until` does."""
        yield from self.work_until(seconds)
        self._sessions[0].clock.wait_until(seconds)

    def work_until(self, seconds: float) -> Iterator[Shown]:
        """Do spare work, and yield results of rounds in flight, until it is `seconds` or nothing is left to do."""
        for side, session in enumerate(self._sessions):
            yield from self._heard(side, session.work_until(seconds))

    def close(self) -> None:
        """Drop rounds in flight, translations and second looks."""
        for session in self._sessions:
            session.close()

    def _in_turn(self) -> Iterator[int]:
        count = len(self._sessions)
        return ((self._turn + each) % count for each in range(count))

    def _heard(self, side: int, shown: Iterator[Shown]) -> Iterator[Shown]:
        """Pass on what a side shows, and let the others know what that took."""
        session = self._sessions[side]
        before = session.compute_seconds
        for each in shown:
            yield self._noted(each)
        for other in self._sessions:
            if other is not session:
                other.note_beside(session.compute_seconds - before)

    def _noted(self, shown: SomeShown) -> SomeShown:
        """Keep a line of the text, or its better words or its speaker."""
        if isinstance(shown, Caption) and shown.final and shown.text:
            self._lines[shown.id] = _Line(shown.start, self._named.get(shown.id, shown.speaker), shown.text)
        elif isinstance(shown, SpeakerLabel) and shown.speaker:
            self._named[shown.id] = shown.speaker
            if shown.id in self._lines:
                self._lines[shown.id] = replace(self._lines[shown.id], speaker=shown.speaker)
        return shown


def _looks_of(parts: Sequence[Summary]) -> SecondLookSummary | None:
    looks = [part.second_look for part in parts if part.second_look is not None]
    if not looks:
        return None
    return SecondLookSummary(*(sum(column) for column in zip(*map(astuple, looks), strict=True)))


def _sum_of(parts: Sequence[TranslationSummary]) -> TranslationSummary | None:
    if not parts:
        return None
    return TranslationSummary(
        parts[-1].language,
        updates=sum(part.updates for part in parts),
        drafted=sum(part.drafted for part in parts),
        accepted=sum(part.accepted for part in parts),
        output=sum(part.output for part in parts),
        forwards=sum(part.forwards for part in parts),
        seconds=sum(part.seconds for part in parts),
    )
