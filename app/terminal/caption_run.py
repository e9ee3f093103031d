"""One run of captioning on the command line: a source of audio, a session, what is printed and what is kept."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.history.export.formats import write_captions, write_separately
from app.look.text_layout import folded
from app.terminal.caption_printer import CaptionPrinter, choose_printer
from app.terminal.interruption import Interruption
from engine.errors import AudioError, EngineError, OptionError
from engine.events import Caption, Summary, Translation
from engine.options import CaptionOptions
from engine.process.messages import TranslationChoice

if TYPE_CHECKING:
    import numpy as np

    from engine.captions import CaptionSession
    from engine.hear.recognizer import Recognizer
    from engine.translate.live import LiveTranslation

Pace = Literal["realtime", "fast"]


@dataclass(frozen=True, slots=True)
class Exports:
    """Files to write at the end.

    Attributes:
        separate: translations go to files of their own.
    """

    paths: tuple[Path, ...] = ()
    separate: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """Audio to caption.

    Attributes:
        chunks: float32 mono samples at 16 kHz; may raise AudioError.
        live: what was said cannot be heard again, so that captions are kept even when the source breaks.
        stop: ends the source after what it has already recorded; None where it cannot be told.
        greeting: what to tell a person who watches, or nothing.
        notes: what turned out to be damaged about it, to be told at the end.
    """

    chunks: Iterable[np.ndarray]
    pace: Pace
    live: bool = False
    stop: threading.Event | None = None
    greeting: str = ""
    notes: list[str] = field(default_factory=list)


def from_file(path: Path, pace: Pace, greeting: str = "") -> Source:
    """Open a recording; its first samples are decoded, so that a bad file is refused at once."""
    from engine.audio.source import stream_audio

    notes: list[str] = []
    chunks = iter(stream_audio(path, report=notes.append))
    first = next(chunks, None)
    return Source(chain(() if first is None else (first,), chunks), pace, greeting=greeting, notes=notes)


def from_file_aloud(path: Path, greeting: str = "") -> Source:
    """Open a recording that is played on the loudspeaker while it is captioned; silent where there is none.

    Raises:
        AudioError: the file cannot be heard.
    """
    from app.sound.playback import Player
    from app.sound.recording_sound import RecordingSound
    from engine.audio.source import read_audio

    notes: list[str] = []
    stop = threading.Event()
    samples = read_audio(path, notes.append)
    chunks = RecordingSound(Player).beside(samples, stop, lambda why: sys.stderr.write(f"earshot: {why}\n"))
    return Source(chunks, "realtime", stop=stop, greeting=greeting, notes=notes)


def from_pipe(pace: Pace) -> Source:
    """Take raw 16-bit mono PCM at 16 kHz from standard input."""
    from engine.audio.source import stream_raw

    if sys.stdin is None or sys.stdin.isatty():
        raise OptionError("'-' reads raw 16 kHz mono 16-bit audio from a pipe, but standard input is a terminal.")
    return Source(stream_raw(sys.stdin.buffer), pace, live=True)


def from_microphone(device: str | None, otherwise: str = "caption a file") -> Source:
    """Take a microphone by name or number, or the default one; it is opened when the first chunk is asked for.

    `otherwise` is what a person without one can do instead.
    """
    from app.sound.audio_devices import MicrophoneUnavailable, list_input_devices, microphone_chunks

    if not list_input_devices():
        raise MicrophoneUnavailable(f"No microphone was found. Connect one, or {otherwise} instead.")
    stop = threading.Event()
    greeting = f"Listening to {device or 'the default microphone'}. Ctrl-C ends."
    return Source(microphone_chunks(device_of(device), stop), "realtime", live=True, stop=stop, greeting=greeting)


def device_of(name: str | None) -> str | int | None:
    """A device as PortAudio wants to be asked for it: by its number, if that is what was typed."""
    return int(name) if name and name.isdecimal() else name


def caption(
    source: Source,
    options: CaptionOptions,
    *,
    model: str,
    as_json: bool = False,
    exports: Exports = Exports(),
    translation: TranslationChoice | None = None,
) -> None:
    """Caption a source to its end or to Ctrl-C, and translate it: print, then summarise, then write the exports.

    Raises:
        EngineError: the model, the audio or an export failed; what was heard until then has been printed. A
            recording that is damaged in part is one too, after all that can be heard of it has been kept.
    """
    from engine.captions import CaptionSession, RealClock, SimulatedClock

    recognizer = load_recognizer(model, options)
    translator = load_translation(translation) if translation is not None else None
    clock = RealClock() if source.pace == "realtime" else SimulatedClock()
    session = CaptionSession(recognizer, options, clock, translation=translator)
    printer = choose_printer(sys.stdout, sys.stderr, as_json=as_json, translated=translation is not None)
    if source.greeting and sys.stderr.isatty():
        lines = folded(source.greeting, shutil.get_terminal_size().columns - 1)
        sys.stderr.write("\n".join(lines) + "\n\n")
    Captioning(source, session, printer, exports).run()


def load_recognizer(model: str, options: CaptionOptions) -> Recognizer:
    """Load and warm up a hearing model; say on standard error what is slower here than it could be."""
    from engine.process.process import load_recognizer as load

    ready, make = load(model)
    for warning in ready.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    recognizer = make(options)
    unknown = [
        code for code in (options.language, *options.allowed_languages) if code and code not in recognizer.languages
    ]
    if unknown:
        known = ", ".join(sorted(recognizer.languages))
        raise OptionError(f"The model {ready.model} does not know the language {unknown[0]!r}; it knows {known}.")
    return recognizer


def load_translation(choice: TranslationChoice) -> LiveTranslation:
    """Load and warm up a language model; say on standard error what is slower here than it could be."""
    from engine.process.process import load_translation as load

    ready, make = load(choice.model)
    translation = make(choice.options)
    for warning in ready.warnings:
        sys.stderr.write(f"earshot: {warning}\n")
    return translation


class Captioning:
    """A session from its first sample to its summary.

    Attributes:
        finals: the finished captions, in order.
        translations: the finished translations, in order.
    """

    def __init__(self, source: Source, session: CaptionSession, printer: CaptionPrinter, exports: Exports) -> None:
        self.finals: list[Caption] = []
        self.translations: list[Translation] = []
        self._source = source
        self._session = session
        self._printer = printer
        self._exports = exports
        self._failures: list[EngineError | OSError] = []
        self._unread = False

    def run(self) -> Summary:
        """Hear everything, print it, write the exports."""
        from engine.captions import caption_stream

        with ExitStack() as stack:
            stack.callback(self._close)
            interruption = stack.enter_context(Interruption(self._source.stop))
            chunks = interruption.until_asked(self._chunks())
            for shown in caption_stream(chunks, self._session, pace=self._source.pace):
                self._show(shown)
                self._tell_incidents()
            self._tell_incidents()
            summary: Summary = self._session.summary
            self._close()
            self._print(lambda: self._printer.conclude(summary))
            for path in self._exports.paths:
                self._export(path, summary)
        if self._source.notes:
            self._failures.append(AudioError(" ".join((*self._source.notes, "What can be heard of it was captioned."))))
        if self._failures:
            raise self._failures[0]
        return summary

    def _chunks(self) -> Iterator[np.ndarray]:
        """The source's chunks; where a live one breaks, the audio ends and the error waits until all is kept."""
        try:
            yield from self._source.chunks
        except AudioError as error:
            if not self._source.live or self._session.audio_seconds == 0:
                raise
            self._failures.append(error)

    def _tell_incidents(self) -> None:
        """Say on standard error what went wrong and was made good."""
        while self._session.incidents:
            incident = self._session.incidents.popleft()
            with suppress(OSError):
                sys.stderr.write(f"earshot: {incident.message}\n")

    def _show(self, shown: Caption | Translation) -> None:
        if isinstance(shown, Translation):
            self.translations += [shown] if shown.final else []
        elif shown.final:
            self.finals.append(shown)
        self._print(lambda: self._printer.show(shown))
        if not self._session.translating:
            self._print(self._printer.release)

    def _print(self, write: Callable[[], None]) -> None:
        """Print; where that fails, go on if there are files to write, else stop."""
        if self._unread:
            return
        try:
            write()
        except OSError as error:
            if not self._exports.paths:
                raise
            self._unread = True
            if not isinstance(error, BrokenPipeError):  # a reader that has had enough is no failure
                self._failures.append(error)

    def _export(self, path: Path, summary: Summary) -> None:
        """Write one file; what keeps it from being written keeps no other one."""
        try:
            if self._exports.separate:
                written = write_separately(path, self.finals, summary, self.translations)
            else:
                write_captions(path, self.finals, summary, self.translations)
                written = (path,)
        except EngineError as error:
            self._failures.append(error)
            return
        if sys.stderr.isatty():
            sys.stderr.write(f"Wrote {' and '.join(map(str, written))}.\n")

    def _close(self) -> None:
        self._session.close()
        with suppress(OSError):
            self._printer.close()
