"""One run of translation on the command line: lines of text, a translator, printing."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TextIO

from app.look.text_layout import one_line
from app.terminal.caption_printer import (
    JsonPrinter,
    TerminalPrinter,
    translation_line,
    translation_summary_record,
)
from app.terminal.caption_run import load_translation
from app.terminal.growing_text import TextError, captions_of, text_lines
from app.terminal.interruption import Interruption
from app.terminal.screen import greet, is_screen
from app.transcript.pairs import Pairs
from engine.answer.safety.recognition import language_of
from engine.errors import EngineError
from engine.events import Caption, Translation, TranslationSummary, Written, text_of
from engine.process.messages import TranslationChoice
from engine.translate.languages import base_of

if TYPE_CHECKING:
    from engine.translate.live import LiveTranslation

_GREETING = "Type a line to have it translated; Ctrl-D ends."
_UNKNOWN_LANGUAGE = "und"
PROGRESS_SECONDS = 1.0
"""Time between two reports of how much of a long line is translated, in seconds."""


def translate(path: str | None, choice: TranslationChoice, *, whole_lines: bool, as_json: bool) -> None:
    """Translate a file, or standard input if there is none, to its end or to Ctrl-C.

    Only what comes through a pipe may be growing text: lines of a file and lines typed at a terminal are whole. Whole
    lines are translated with the options for files: none of their text is on a screen where it should stay.

    Raises:
        EngineError: the model or the text failed; earlier results have been printed.
    """
    with ExitStack() as stack:
        file, name = _opened(path, stack)
        typed = file.isatty()
        whole_lines = whole_lines or typed or _is_file(file)
        translation = load_translation(choice.for_files() if whole_lines else choice)()
        greet(_GREETING if typed else "")
        printer = _printer(as_json=as_json, typed=typed)
        Translating(translation, printer).run(text_lines(file, name), whole_lines=whole_lines)


def _opened(path: str | None, stack: ExitStack) -> tuple[BinaryIO, str]:
    """Open the text, and return it with its name for messages."""
    if path not in (None, "-"):
        assert path is not None
        try:
            return stack.enter_context(Path(path).open("rb")), path
        except FileNotFoundError as error:
            raise TextError(f"There is no file {path}.") from error
        except IsADirectoryError as error:
            raise TextError(f"{Path(path)} is a folder. Name a text file in it.") from error
        except OSError as error:
            raise TextError(f"Cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    if sys.stdin is None:
        raise TextError("There is no standard input to translate.")
    return sys.stdin.buffer, "standard input"


def _is_file(file: BinaryIO) -> bool:
    """Return whether a text lies in a file, and so is not growing; False if it cannot be told."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError):
        return False


class TranslationPrinter(Protocol):
    """A printer of sentences with their translations while they grow."""

    def show(self, shown: Written) -> None: ...

    def release(self) -> None: ...

    def tell_progress(self, caption: Caption, share: float) -> None:
        """Show that a share of a caption, from 0 to 1, is translated."""
        ...

    def finish(self, summary: TranslationSummary) -> None: ...

    def close(self) -> None: ...


class Translating:
    """Translates lines, from the first to the summary."""

    def __init__(self, translation: LiveTranslation, printer: TranslationPrinter) -> None:
        self._translation = translation
        self._printer = printer
        self._summary = TranslationSummary(translation.options.target)
        self._failure: EngineError | None = None

    def run(self, lines: Iterator[str], *, whole_lines: bool) -> TranslationSummary:
        """Translate everything and print it. A text that breaks off is translated up to there first."""
        began = time.perf_counter()
        language = self._translation.options.source or next(iter(self._translation.sources or ()), _UNKNOWN_LANGUAGE)
        try:
            with Interruption() as interruption:
                readable = interruption.until_asked(self._until_failure(lines))
                for caption in captions_of(readable, whole=whole_lines, language=language):
                    self._show(caption if self._translation.options.source else self._as_told(caption), began)
            if self._summary.updates or self._failure is None:
                self._printer.finish(self._summary)
        finally:
            self._translation.close()
            with suppress(OSError):
                self._printer.close()
        if self._failure is not None:
            raise self._failure
        return self._summary

    def _as_told(self, caption: Caption) -> Caption:
        """Return a caption marked as being in the target language if its words are; then it stays as it is."""
        target = base_of(self._translation.options.target)
        detected = language_of(text_of((*caption.committed, *caption.pending)))
        return replace(caption, language=target) if detected == target else caption

    def _until_failure(self, lines: Iterator[str]) -> Iterator[str]:
        try:
            yield from lines
        except OSError as error:
            self._failure = TextError(f"The text cannot be read on: {(error.strerror or str(error)).lower()}.")
        except TextError as error:
            self._failure = error

    def _show(self, caption: Caption, began: float) -> None:
        """Print a sentence in its present state, and its translation."""
        self._printer.show(caption)
        started = time.perf_counter()
        told = started
        self._translation.offer(caption)
        while self._translation.busy:
            shown = self._translation.step()
            if shown is not None:
                self._summary = self._summary.plus(shown.stats)
                self._printer.show(replace(shown, emitted_seconds=time.perf_counter() - began))
            elif time.perf_counter() - told >= PROGRESS_SECONDS:
                told = time.perf_counter()
                self._printer.tell_progress(caption, self._translation.translator.share_done)
        self._summary = replace(self._summary, seconds=self._summary.seconds + time.perf_counter() - started)
        self._printer.release()
        while self._translation.incidents:
            sys.stderr.write(f"earshot: {self._translation.incidents.popleft().message}\n")


def _printer(*, as_json: bool, typed: bool) -> TranslationPrinter:
    """Return a printer: JSON lines if requested, in place on a terminal, plain lines elsewhere."""
    if as_json:
        return JsonTranslations(sys.stdout)
    if is_screen(sys.stdout):
        return ScreenTranslations(sys.stdout, sys.stderr, sources=not typed)
    return LineTranslations(sys.stdout, sys.stderr)


class JsonTranslations(JsonPrinter):
    """Every update of every translation as a JSON line, and the total cost last."""

    def show(self, shown: Written) -> None:
        if isinstance(shown, Translation):
            super().show(shown)

    def tell_progress(self, caption: Caption, share: float) -> None:
        pass

    def finish(self, summary: TranslationSummary) -> None:
        self.write({"type": "summary", "translation": translation_summary_record(summary)})


class LineTranslations:
    """Every translation once, when it is final, without its source: for pipes and files."""

    def __init__(self, out: TextIO, notes: TextIO) -> None:
        self._out = out
        self._notes = notes

    def show(self, shown: Written) -> None:
        if isinstance(shown, Translation) and shown.final:
            self._tell("")
            self._out.write(f"{one_line(shown.text)}\n")
            self._out.flush()

    def release(self) -> None:
        pass

    def tell_progress(self, caption: Caption, share: float) -> None:
        self._tell(f"{share:.0%} of this line is translated …")

    def finish(self, summary: TranslationSummary) -> None:
        self._notes.write(f"{translation_line(summary)}\n")

    def close(self) -> None:
        pass

    def _tell(self, line: str) -> None:
        """Show a line in place of the last one, if a person is reading."""
        if self._notes.isatty():
            self._notes.write(f"\r\x1b[J{line}")
            self._notes.flush()


class ScreenTranslations(TerminalPrinter):
    """Sentences and their translations that grow in place; only translations beneath typed text."""

    def __init__(self, out: TextIO, notes: TextIO, *, sources: bool) -> None:
        super().__init__(
            out, notes, colour=not os.environ.get("NO_COLOR"), pairs=Pairs(translated=True), sources=sources
        )

    def tell_progress(self, caption: Caption, share: float) -> None:
        self.show(Translation(caption.id, caption.revision, f"… {share:.0%}", "", "", "", final=False))

    def finish(self, summary: TranslationSummary) -> None:
        self.end([translation_line(summary)])
