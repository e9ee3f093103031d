"""Captions as they are printed: in place on a terminal, one finished caption a line elsewhere, or JSON lines."""

from __future__ import annotations

import json
import os
import shutil
from typing import Protocol, TextIO

from app.history.export import word_record
from app.text_layout import cells, counted, folded, printable, wrap
from engine.events import Caption, Summary, Word, text_of

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ERASE_TO_THE_END = "\x1b[J"


class CaptionPrinter(Protocol):
    """What shows captions while they grow; `close` leaves the terminal tidy whatever happened."""

    def show(self, caption: Caption) -> None: ...

    def conclude(self, summary: Summary) -> None: ...

    def close(self) -> None: ...


def choose_printer(out: TextIO, notes: TextIO, *, as_json: bool) -> CaptionPrinter:
    """JSON lines where asked for, else in place on a terminal, else plain lines."""
    if as_json:
        return JsonPrinter(out)
    if out.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return TerminalPrinter(out, notes, colour=not os.environ.get("NO_COLOR"))
    return LinePrinter(out, notes)


class JsonPrinter:
    """One JSON object a line: every revision of every caption, then the summary."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._escape = "utf" not in (out.encoding or "ascii").lower()

    def show(self, caption: Caption) -> None:
        self._write(caption_record(caption))

    def conclude(self, summary: Summary) -> None:
        self._write(summary_record(summary))

    def close(self) -> None:
        pass

    def _write(self, record: dict[str, object]) -> None:
        self._out.write(json.dumps(record, ensure_ascii=self._escape, allow_nan=False) + "\n")
        self._out.flush()


class LinePrinter:
    """Every caption once, when it is final: for pipes and files."""

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self._out = out
        self._notes = notes

    def show(self, caption: Caption) -> None:
        line = _one_line(caption.text)
        if caption.final and line:
            self._out.write(line + "\n")
            self._out.flush()

    def conclude(self, summary: Summary) -> None:
        self._notes.write(f"{summary_line(summary)}\n")

    def close(self) -> None:
        pass


class TerminalPrinter:
    """Captions that grow in place: what may still change is redrawn, finished captions scroll away.

    Attributes:
        live: captions that are not final, or wait for one before them that is not, by id.
    """

    def __init__(self, out: TextIO, notes: TextIO, *, colour: bool) -> None:
        self.live: dict[int, Caption] = {}
        self._out = out
        self._notes = notes
        self._dim, self._plain = (_DIM, _PLAIN) if colour else ("", "")
        self._drawn: list[str] = []

    def show(self, caption: Caption) -> None:
        self.live[caption.id] = caption
        if not (caption.committed or caption.pending):
            del self.live[caption.id]  # words taken back: nothing may wait for them
        finished: list[str] = []
        while self.live and self.live[min(self.live)].final:
            finished += self._lines(self.live.pop(min(self.live)).committed, ())
        captions = [self.live[id] for id in sorted(self.live)]
        growing = [line for each in captions for line in self._lines(each.committed, each.pending)]
        self._draw(finished, growing)

    def conclude(self, summary: Summary) -> None:
        self.close()
        self._out.write(f"\r{_ERASE_TO_THE_END}\n")  # Ctrl-C leaves its own mark on the line
        self._out.flush()
        dim, plain = (self._dim, self._plain) if self._notes.isatty() else ("", "")
        lines = folded(summary_line(summary), shutil.get_terminal_size().columns - 1)
        self._notes.writelines(f"{dim}{line}{plain}\n" for line in lines)

    def close(self) -> None:
        """Leave what is on the screen where it is and go to a fresh line."""
        if self._drawn:
            self._out.write("\n")
            self._out.flush()
        self._drawn = []
        self.live.clear()

    def _draw(self, finished: list[str], growing: list[str]) -> None:
        columns, rows = shutil.get_terminal_size()
        growing = growing[-max(rows - 1, 1) :]  # a line that has scrolled off cannot be redrawn
        if not finished and growing == self._drawn:
            return
        # A terminal that was made narrower since has wrapped what was drawn.
        above = sum(max(1, -(-cells(_bare(line)) // columns)) for line in self._drawn) - 1
        up = f"\x1b[{min(above, rows - 1)}A" if above > 0 else ""
        erase = f"\r{up}{_ERASE_TO_THE_END}" if self._drawn else ""
        done = "".join(f"{line}\n" for line in finished)
        self._out.write(erase + done + "\n".join(growing))
        self._out.flush()
        self._drawn = growing

    def _lines(self, committed: tuple[Word, ...], pending: tuple[Word, ...]) -> list[str]:
        """Wrap one caption to the terminal, the pending tail dim, or followed by dots where nothing may be dim."""
        text = _one_line(text_of(committed + pending))
        steady = len(_one_line(text_of(committed)))
        if pending and not self._dim:
            text += " …"
        # One column stays free: some terminals wrap as soon as the last one is written.
        spans = wrap(text, shutil.get_terminal_size().columns - 1)
        return [self._styled(text, begin, end, steady) for begin, end in spans]

    def _styled(self, text: str, begin: int, end: int, steady: int) -> str:
        cut = min(max(steady, begin), end)
        return text[begin:cut] + (f"{self._dim}{text[cut:end]}{self._plain}" if cut < end else "")


def caption_record(caption: Caption) -> dict[str, object]:
    """A revision of a caption as one JSON line shows it; seconds to the millisecond."""
    return {
        "type": "caption",
        "id": caption.id,
        "revision": caption.revision,
        "start": round(caption.start, 3),
        "end": round(caption.end, 3),
        "committed": [word_record(word) for word in caption.committed],
        "pending": [word_record(word) for word in caption.pending],
        "final": caption.final,
        "audio_seconds": round(caption.audio_seconds, 3),
        "emitted_seconds": round(caption.emitted_seconds, 3),
    }


def summary_record(summary: Summary) -> dict[str, object]:
    """The last JSON line; word_latency_seconds is null where no word was heard."""
    latency = summary.word_latency_seconds
    return {
        "type": "summary",
        "text": summary.text,
        "audio_seconds": round(summary.audio_seconds, 3),
        "rounds": summary.rounds,
        "real_time_factor": round(summary.real_time_factor, 4),
        "word_latency_seconds": latency
        and {"mean": round(latency.mean, 3), "p50": round(latency.p50, 3), "p95": round(latency.p95, 3)},
    }


def summary_line(summary: Summary) -> str:
    """The end of a session in one sentence."""
    heard = f"{summary.audio_seconds:.1f} s of audio heard in {summary.compute_seconds:.1f} s"
    cost = f"{heard} ({summary.real_time_factor:.2f} of real time, {counted(summary.rounds, 'round')})"
    latency = summary.word_latency_seconds
    if latency is None:
        return f"{cost}; no words heard."
    return f"{cost}; words shown {latency.mean:.2f} s after they were said, 95% within {latency.p95:.2f} s."


def _bare(line: str) -> str:
    return line.replace(_DIM, "").replace(_PLAIN, "")


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())
