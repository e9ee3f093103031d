"""Printing of a conversation: in place on a terminal, turn by turn elsewhere, or as JSON.

On a terminal, unfinished speech and the draft of the answer are dim. Elsewhere a turn is printed when it can no longer
be continued.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Protocol, TextIO

from app.assistant.exchange import Exchange, Phase
from app.look.text_layout import counted, one_line, reply_lines
from app.terminal.screen import GrowingLines, JsonLines, is_screen, styled_lines, write_notes
from engine.events import Incident, Latency
from engine.metrics import latency_of
from engine.turns import Candidate, Speech, Turn, TurnEvent, TurnStats

USER, ASSISTANT = "You: ", "Earshot: "
CUT = "—"
NO_ANSWER = "(no answer)"
THINKING = "Thinking…"


class ConversationPrinter(Protocol):
    """A printer of a conversation while it is held; `close` leaves the terminal tidy in any case."""

    def show(self, event: TurnEvent | Incident, seconds: float) -> None:
        """Print an event at a time of the session's clock."""
        ...

    def settle(self) -> None:
        """Note that no finished turn can be continued any more."""
        ...

    def conclude(self, summary: ConversationSummary) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Manner:
    """The printed parts of a conversation.

    Attributes:
        questions: whether the user's words are printed; not needed if they are typed.
        names: whether the speakers are named; not needed for a single answer.
    """

    questions: bool = True
    names: bool = True


def choose_printer(out: TextIO, notes: TextIO, manner: Manner, *, as_json: bool) -> ConversationPrinter:
    """Return a printer: JSON lines if requested, in place on a terminal, plain lines elsewhere."""
    if as_json:
        return JsonConversation(out)
    if is_screen(out):
        return ScreenConversation(out, notes, manner, colour=not os.environ.get("NO_COLOR"))
    return LineConversation(out, notes, manner)


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """The summary of a whole conversation.

    Attributes:
        turns: number of turns; continued ones count once.
        answered: turns with an answer.
        interrupted: turns whose answer was interrupted.
        premade: turns whose first sentence and its sound were made before the end of the question, and used.
        endpoint_seconds, first_sentence_seconds, first_sound_seconds: delays after the end of speech; None: never.
        forwards_to_first_sentence: mean forwards of the model from the final question on.
        drafted, accepted, wasted_tokens: sums over all turns, see AnswerStats and TurnStats.
    """

    turns: int = 0
    answered: int = 0
    interrupted: int = 0
    premade: int = 0
    endpoint_seconds: Latency | None = None
    first_sentence_seconds: Latency | None = None
    first_sound_seconds: Latency | None = None
    forwards_to_first_sentence: float = 0.0
    drafted: int = 0
    accepted: int = 0
    wasted_tokens: int = 0


def summarise(turns: Iterable[Turn]) -> ConversationSummary:
    """Sum up turns; of a continued turn the last revision counts."""
    last = list({turn.turn: turn for turn in turns}.values())
    answered = [turn.stats for turn in last if turn.reply or turn.ended == "interrupted"]
    counts = [stats.forwards_to_first_sentence for stats in answered]
    return ConversationSummary(
        turns=len(last),
        answered=len(answered),
        interrupted=sum(turn.ended == "interrupted" for turn in last),
        premade=sum(stats.premade for stats in answered),
        endpoint_seconds=_latency(answered, lambda stats: stats.endpoint_seconds),
        first_sentence_seconds=_latency(answered, lambda stats: stats.first_sentence_seconds),
        first_sound_seconds=_latency(answered, lambda stats: stats.first_sound_seconds),
        forwards_to_first_sentence=sum(counts) / len(counts) if counts else 0.0,
        drafted=sum(turn.stats.answer.drafted for turn in last),
        accepted=sum(turn.stats.answer.accepted for turn in last),
        wasted_tokens=sum(turn.stats.wasted_tokens for turn in last),
    )


def _latency(stats: Iterable[TurnStats], seconds: Callable[[TurnStats], float | None]) -> Latency | None:
    return latency_of(value for each in stats if (value := seconds(each)) is not None)


class JsonConversation(JsonLines):
    """One JSON object per line: every event with its time, then the summary."""

    def show(self, event: TurnEvent | Incident, seconds: float) -> None:
        self.write(event_record(event) | {"emitted_seconds": round(seconds, 3)})

    def settle(self) -> None:
        pass

    def conclude(self, summary: ConversationSummary) -> None:
        self.write(conversation_record(summary))

    def close(self) -> None:
        pass


class LineConversation:
    """Every turn once, when it can no longer be continued: for pipes and files."""

    def __init__(self, out: TextIO, notes: TextIO, manner: Manner) -> None:
        self._out = out
        self._notes = notes
        self._manner = manner
        self._waiting: Turn | None = None

    def show(self, event: TurnEvent | Incident, seconds: float) -> None:
        if isinstance(event, Incident):
            self._notes.write(f"earshot: {event.message}\n")
            return
        if self._waiting is not None and event.turn > self._waiting.turn:
            self.settle()
        if isinstance(event, Turn):
            self._waiting = event

    def settle(self) -> None:
        turn, self._waiting = self._waiting, None
        if turn is not None:
            self._out.writelines(f"{line}\n" for line in turn_lines(turn, self._manner))
            self._out.flush()

    def conclude(self, summary: ConversationSummary) -> None:
        self.close()
        self._notes.write(f"{summary_line(summary)}\n")

    def close(self) -> None:
        self.settle()


def turn_lines(turn: Turn, manner: Manner) -> list[str]:
    """Return the lines of a finished turn, one per speaker; none if nobody said anything.

    A list or code in a reply has its own lines.
    """
    question, reply = one_line(turn.prompt), reply_lines(turn.heard)
    if not question and not reply:
        return []
    if turn.ended == "interrupted":
        *begun, last = reply or [""]
        reply = [*begun, f"{last} {CUT}".strip()]
    first, *more = reply or [NO_ANSWER]
    user, assistant = (USER, ASSISTANT) if manner.names else ("", "")
    return [*([f"{user}{question}"] if manner.questions else []), f"{assistant}{first}", *more]


class ScreenConversation:
    """A conversation that grows in place: unfinished text is dim, finished turns scroll away."""

    def __init__(self, out: TextIO, notes: TextIO, manner: Manner, *, colour: bool) -> None:
        self._notes = notes
        self._manner = manner
        self._colour = colour
        self._lines = GrowingLines(out)
        self._turn: Exchange | None = None

    def show(self, event: TurnEvent | Incident, seconds: float) -> None:
        if isinstance(event, Incident):
            self._lines.draw([], [])
            write_notes(self._notes, [f"earshot: {event.message}"], dim=self._colour)
            self._notes.flush()
        else:
            if self._turn is None or event.turn != self._turn.number:
                self.settle()
            self._turn = (self._turn or Exchange(event.turn)).with_event(event)
        if self._turn is not None:
            self._lines.draw([], self._drawn(self._turn) + self._thinking(self._turn))

    def settle(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            self._lines.draw(self._drawn(turn), [])

    def conclude(self, summary: ConversationSummary) -> None:
        self.close()
        self._lines.leave()
        write_notes(self._notes, [summary_line(summary)], dim=self._colour)

    def close(self) -> None:
        self.settle()
        self._lines.close()

    def _drawn(self, exchange: Exchange) -> list[str]:
        """Return the lines of a turn in its present state."""
        if exchange.turn is not None:
            return [part for line in turn_lines(exchange.turn, self._manner) for part in self._styled(line, len(line))]
        user, assistant = (USER, ASSISTANT) if self._manner.names else ("", "")
        question, reply = (
            f"{user}{one_line(exchange.asked)}",
            f"{assistant}{one_line(exchange.answer or exchange.draft)}",
        )
        ended = exchange.phase is not Phase.ASKING
        asked = self._styled(question, len(question) if ended else len(user)) if self._manner.questions else []
        if reply == assistant:
            return asked if exchange.asked else []
        return [*asked, *self._styled(reply, len(reply) if exchange.answer else len(assistant))]

    def _thinking(self, exchange: Exchange) -> list[str]:
        """Return the line in place of an answer of which nothing can be shown yet."""
        if exchange.phase is not Phase.THINKING or exchange.draft:
            return []
        assistant = ASSISTANT if self._manner.names else ""
        return styled_lines(f"{assistant}{THINKING}", len(assistant), dim=self._colour)

    def _styled(self, text: str, steady: int) -> list[str]:
        return styled_lines(text + " …" * (steady < len(text) and not self._colour), steady, dim=self._colour)


def event_record(event: TurnEvent | Incident) -> dict[str, object]:
    """Return an event as a JSON record; seconds to the millisecond, sound as its length."""
    match event:
        case Turn():
            return turn_record(event)
        case Speech():
            seconds = len(event.samples) / 4 / event.rate_hz
            shown = {"turn": event.turn, "revision": event.revision, "sentence": event.sentence}
            return {"type": "speech", **shown, "seconds": round(seconds, 3), "rate_hz": event.rate_hz}
        case Candidate():
            record = asdict(event)
            return {"type": "candidate", **record, "stats": _rounded(record["stats"])}
        case _:
            return {"type": type(event).__name__.lower(), **_rounded(asdict(event))}


def turn_record(turn: Turn) -> dict[str, object]:
    """Return a turn as a JSON record, with the time and cost of each part."""
    stats = asdict(turn.stats)
    answer = stats.pop("answer")
    said = {"turn": turn.turn, "revision": turn.revision, "prompt": turn.prompt, "reply": turn.reply}
    return {"type": "turn", **said, "ended": turn.ended, **_rounded(stats), **_rounded(answer)}


def conversation_record(summary: ConversationSummary) -> dict[str, object]:
    """Return the summary's JSON record; times are null without an answer, or without sound."""
    record = asdict(summary)
    times = {name: _rounded(value) for name, value in record.items() if isinstance(value, dict)}
    return {"type": "summary", **_rounded(record), **times}


def summary_line(summary: ConversationSummary) -> str:
    """Return the summary of a conversation in one sentence."""
    done = f"{counted(summary.answered, 'answer')} to {counted(summary.turns, 'question')}"
    first = summary.first_sound_seconds or summary.first_sentence_seconds
    if not summary.answered or first is None:
        return f"{done}." if summary.turns else "No question was asked."
    what = "sound" if summary.first_sound_seconds else "sentence"
    times = f"first {what} {first.p50:.2f} s after the question" + " (median)" * (summary.answered > 1)
    premade = f", {summary.premade} made ahead" if summary.premade else ""
    return f"{done}{premade}; {times}."


def _rounded(record: dict[str, object]) -> dict[str, object]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in record.items()}
