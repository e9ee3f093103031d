"""Printing of captions and translations: in place on a terminal, finished ones by lines elsewhere, or as JSON.

A translation stands beneath its caption, indented. Its hidden part is never printed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from typing import Protocol, TextIO

from app.history.export.formats import word_record
from app.look.text_layout import counted, folded, one_line
from app.terminal.screen import GrowingLines, JsonLines, is_screen, styled_lines, write_notes
from app.transcript.caption_text import name_before
from app.transcript.pairs import Pairs
from engine.events import Caption, SpeakerLabel, Summary, Translation, TranslationSummary, Written, text_of
from engine.translate.languages import name_of

TRANSLATION_INDENT = "  "


class CaptionPrinter(Protocol):
    """A printer of captions and translations while they grow; `close` leaves the terminal tidy in any case."""

    def show(self, shown: Written) -> None: ...

    def release(self) -> None:
        """Note that no translation of the captions shown so far will come."""
        ...

    def tell(self, sentence: str) -> None:
        """Print a notice, which people read on standard error anyway."""
        ...

    def conclude(self, summary: Summary) -> None: ...

    def close(self) -> None: ...


def choose_printer(
    out: TextIO,
    notes: TextIO,
    *,
    as_json: bool,
    translated: bool = False,
    labelled: bool = False,
    timed: bool = True,
) -> CaptionPrinter:
    """Return a printer: JSON lines if requested, in place on a terminal, plain lines elsewhere.

    If captions are `translated`, a finished one waits for its translation, so that both stand together; if
    they are `labelled`, for its speaker. `timed` adds the word latency to the summary.
    """
    if as_json:
        return JsonPrinter(out)
    pairs = Pairs(translated=translated, labelled=labelled)
    if is_screen(out):
        return TerminalPrinter(out, notes, colour=not os.environ.get("NO_COLOR"), pairs=pairs, timed=timed)
    return LinePrinter(out, notes, pairs=pairs, timed=timed)


class JsonPrinter(JsonLines):
    """One JSON object per line: every revision of every caption, notices, then the summary."""

    def show(self, shown: Written) -> None:
        match shown:
            case Caption():
                self.write(caption_record(shown))
            case Translation():
                self.write(translation_record(shown))
            case SpeakerLabel():
                self.write({"type": "speaker", "id": shown.id, "speaker": shown.speaker})

    def release(self) -> None:
        pass

    def tell(self, sentence: str) -> None:
        self.write({"type": "notice", "message": sentence})

    def conclude(self, summary: Summary) -> None:
        self.write(summary_record(summary))

    def close(self) -> None:
        pass


class LinePrinter:
    """Every caption once, when it is final, with its translation beneath: for pipes and files."""

    def __init__(self, out: TextIO, notes: TextIO, *, pairs: Pairs | None = None, timed: bool = True) -> None:
        self._out = out
        self._notes = notes
        self._pairs = pairs or Pairs(translated=False)
        self._timed = timed

    def show(self, shown: Written) -> None:
        self._pairs.add(shown)
        self._write_finished()

    def release(self) -> None:
        self._pairs.release()
        self._write_finished()

    def tell(self, sentence: str) -> None:
        pass

    def conclude(self, summary: Summary) -> None:
        self.close()
        self._notes.writelines(f"{line}\n" for line in summary_lines(summary, timed=self._timed))

    def close(self) -> None:
        """Print captions that were waiting for a translation or a speaker."""
        self._pairs.release_all()
        self._write_finished()

    def _write_finished(self) -> None:
        for caption, translation in self._pairs.finished():
            if line := one_line(caption.text):
                self._out.write(f"{name_before(caption.speaker)}{line}\n")
            if translation and (line := one_line(translation.text)):
                self._out.write(f"{TRANSLATION_INDENT}{line}\n")
            self._out.flush()


class TerminalPrinter:
    """Captions that grow in place: pending text is redrawn, finished captions scroll away.

    Attributes:
        pairs: captions that are not finished, or wait for an earlier one that is not, with their translations.
    """

    def __init__(
        self,
        out: TextIO,
        notes: TextIO,
        *,
        colour: bool,
        pairs: Pairs | None = None,
        sources: bool = True,
        timed: bool = True,
    ) -> None:
        """Print captions; without `sources`, only their translations."""
        self.pairs = pairs or Pairs(translated=False)
        self._out = out
        self._notes = notes
        self._sources = sources
        self._dim = colour
        self._timed = timed
        self._growing = GrowingLines(out)

    def show(self, shown: Written) -> None:
        self.pairs.add(shown)
        self._redraw()

    def release(self) -> None:
        self.pairs.release()
        self._redraw()

    def tell(self, sentence: str) -> None:
        pass

    def conclude(self, summary: Summary) -> None:
        self.end(summary_lines(summary, timed=self._timed))

    def end(self, sentences: Iterable[str]) -> None:
        """Leave everything on the screen, with these sentences below it."""
        self.pairs.release_all()
        self._redraw()
        self.close()
        self._growing.leave()
        write_notes(self._notes, sentences, dim=self._dim)

    def close(self) -> None:
        """Leave the screen as it is and start a new line."""
        self._growing.close()
        self.pairs.clear()

    def _redraw(self) -> None:
        finished = [line for pair in self.pairs.finished() for line in self._lines(*pair)]
        translations = self.pairs.translations
        growing = [line for each in self.pairs.in_order for line in self._lines(each, translations.get(each.id))]
        self._growing.draw(finished, growing)

    def _lines(self, caption: Caption, translation: Translation | None) -> list[str]:
        lines = self._caption_lines(caption) if self._sources else []
        if translation is not None:
            width = shutil.get_terminal_size().columns - 1 - len(TRANSLATION_INDENT)
            lines += [TRANSLATION_INDENT + line for line in folded(one_line(translation.text), width)]
        return lines

    def _caption_lines(self, caption: Caption) -> list[str]:
        """Wrap one caption to the terminal, the pending tail dim, or followed by dots if dim text is unavailable."""
        name = name_before(caption.speaker)
        text = name + one_line(text_of(caption.committed + caption.pending))
        steady = len(name) + len(one_line(text_of(caption.committed)))
        if caption.pending and not self._dim:
            text += " …"
        return styled_lines(text, steady, dim=self._dim)


def caption_record(caption: Caption) -> dict[str, object]:
    """Return a revision of a caption as a JSON record; seconds to the millisecond."""
    return {
        "type": "caption",
        "id": caption.id,
        "revision": caption.revision,
        **({"speaker": caption.speaker} if caption.speaker else {}),
        **({"first_text": caption.first_text} if caption.first_text else {}),
        "start": round(caption.start, 3),
        "end": round(caption.end, 3),
        "committed": [word_record(word) for word in caption.committed],
        "pending": [word_record(word) for word in caption.pending],
        "final": caption.final,
        "audio_seconds": round(caption.audio_seconds, 3),
        "emitted_seconds": round(caption.emitted_seconds, 3),
    }


def translation_record(translation: Translation) -> dict[str, object]:
    """Return an update of a translation as a JSON record, with its cost."""
    stats = translation.stats
    return {
        "type": "translation",
        "id": translation.id,
        "revision": translation.revision,
        "text": translation.text,
        "hidden": translation.hidden,
        "source": translation.source,
        "language": translation.language,
        "final": translation.final,
        "emitted_seconds": round(translation.emitted_seconds, 3),
        "drafted": stats.drafted,
        "accepted": stats.accepted,
        "output": stats.output,
        "forwards": stats.forwards,
    }


def summary_record(summary: Summary) -> dict[str, object]:
    """Return the summary's JSON record; word_latency_seconds is null without words, translation only present with
    one.
    """
    latency = summary.word_latency_seconds
    record = {
        "type": "summary",
        "text": summary.text,
        "audio_seconds": round(summary.audio_seconds, 3),
        "rounds": summary.rounds,
        "forwards": summary.forwards,
        "tokens": summary.tokens,
        "real_time_factor": round(summary.real_time_factor, 4),
        "word_latency_seconds": latency
        and {"mean": round(latency.mean, 3), "p50": round(latency.p50, 3), "p95": round(latency.p95, 3)},
    }
    if summary.second_look is not None:
        record["second_look"] = asdict(summary.second_look) | {"seconds": round(summary.second_look.seconds, 3)}
    if summary.translation is not None:
        record["translation"] = translation_summary_record(summary.translation)
    return record


def translation_summary_record(summary: TranslationSummary) -> dict[str, object]:
    """Return the cost of a session's translation as a JSON record."""
    return asdict(summary) | {"seconds": round(summary.seconds, 3)}


def summary_lines(summary: Summary, *, timed: bool = True) -> list[str]:
    """Return a sentence about the session, and one about its translation, if any."""
    translation = summary.translation
    return [summary_line(summary, timed=timed), *([translation_line(translation)] if translation is not None else [])]


def translation_line(summary: TranslationSummary) -> str:
    """Return the cost of a session's translation in one sentence."""
    seconds, updates = f"{summary.seconds:.1f} s", counted(summary.updates, "update")
    return f"Translated into {name_of(summary.language)} in {seconds} ({updates})."


def summary_line(summary: Summary, *, timed: bool = True) -> str:
    """Return the summary of a session in one sentence; `timed` adds the word latency."""
    heard = f"{summary.audio_seconds:.1f} s of audio heard in {summary.compute_seconds:.1f} s"
    cost = f"{heard} ({summary.real_time_factor:.2f} of real time)"
    latency = summary.word_latency_seconds
    if latency is None:
        return f"{cost}; no words heard."
    if not timed:
        return f"{cost}; {counted(len(summary.text.split()), 'word')}."
    return f"{cost}; words shown {latency.mean:.2f} s after they were said, 95% within {latency.p95:.2f} s."
