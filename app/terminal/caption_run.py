"""One run of `earshot caption`: a source of audio, a session, its output and its exports."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.history.export.exporting import ExportChoice, Parts, write_transcript
from app.history.export.live_files import LiveFile, live_file
from app.history.records import Transcript
from app.sound.audio_sources import hears_room
from app.terminal.caption_printer import CaptionPrinter, choose_printer
from app.terminal.interruption import Interruption
from app.terminal.open_source import OpenSource
from app.terminal.output import Output
from app.terminal.screen import greet, progress
from app.terminal.several_sources import chunks_of
from engine.audio import Samples
from engine.captions.for_files import for_files
from engine.errors import AudioError, EngineError
from engine.events import Caption, LoadShed, Shown, Side, SpeakerLabel, SpokenTranslation, Summary, Translation
from engine.options import CaptionOptions
from engine.process.messages import Ready, TranslationChoice

if TYPE_CHECKING:
    from app.sound.audio_sources import Source
    from app.terminal.spoken_out import SpokenOut
    from engine.audio.feed import Pace
    from engine.captions.sides import CaptionSides
    from engine.process.loading import RecognizerMaker
    from engine.speak.voice import Voice
    from engine.speakers.search import SpeakerSearch
    from engine.speakers.words import WordSpeakers
    from engine.translate.by_ear import EarTranslation
    from engine.translate.live import LiveTranslation


@dataclass(frozen=True, slots=True)
class ExportFiles:
    """Files to write.

    Attributes:
        paths: files that are written at the end.
        separate: translations go to separate files.
        live: files that follow the captions while they run.
    """

    paths: tuple[Path, ...] = ()
    separate: bool = False
    live: tuple[Path, ...] = ()


def caption(
    source: Source,
    options: CaptionOptions,
    *,
    model: str,
    pace: Pace,
    greeting: str = "",
    as_json: bool = False,
    exports: ExportFiles = ExportFiles(),
    translation: TranslationChoice | None = None,
    with_file_options: bool = False,
    speakers: SpeakerSearch | None = None,
    own_search: bool = False,
    spoken: SpokenOut | None = None,
) -> None:
    """Caption and translate a source to its end or to Ctrl-C; print captions and a summary, and write the exports.

    Args:
        greeting: line for a person at a terminal; empty prints none.
        with_file_options: use the options for recordings: fewer errors, but captions too late for a live reader.
        speakers: tell the speakers of a recording apart, before it is captioned.
        own_search: the number of candidates was chosen, and stays in recordings, too.
        spoken: receives what is spoken of the translation.

    Raises:
        EngineError: the model, the audio or an export failed, after all captions so far have been printed; or a
            recording is damaged in part, after the rest of it has been exported.
    """
    from app.sound.audio_sources import TwoSides, sides_of
    from engine.captions.opening import open_captions
    from engine.clock import RealClock, SimulatedClock

    if with_file_options:
        options = for_files(options, own_search=own_search)
        translation = translation and translation.for_files()
    if not (as_json or exports.paths):  # a line that is printed does not change
        options = replace(options, second_look=False)
    stop = threading.Event()
    opened = [OpenSource(each, stop) for each in sides_of(source)]
    clock = RealClock() if pace == "realtime" else SimulatedClock()
    live = pace == "realtime" and source.passes_by
    sides = [Side(name) for name in source.names] if isinstance(source, TwoSides) else [Side()]
    named = _word_speakers(source, speakers) if speakers is not None else None
    make = load_recognizer(model)
    session = open_captions(make, options, sides, clock=clock, live=live, word_speakers=named)
    if translation is not None:
        translating = _by_ear(make, options, translation) if translation.by_ear else load_translation(translation)
        session.translate_with(translating, load_voice(translation))
    labelled = options.speakers and named is None
    printer = choose_printer(
        sys.stdout,
        sys.stderr,
        as_json=as_json,
        translated=translation is not None,
        labelled=labelled,
        timed=not with_file_options,
    )
    greet(greeting)
    Captioning(opened, pace, session, printer, exports, labelled=labelled, spoken=spoken).run()


def _word_speakers(source: Source, search: SpeakerSearch) -> WordSpeakers:
    """Hear a recording for its speakers, and show how far that is."""
    from app.sound.audio_sources import sides_of
    from engine.speakers.search import find_speakers

    (opened,) = (OpenSource(each) for each in sides_of(source))
    with progress() as tell:
        return find_speakers(opened.chunks(), search, lambda at: tell(f"telling the speakers apart: {at:.0f} s"))


def _words_for(shed: LoadShed) -> str:
    """Return a sentence about the work that a slow computer leaves out."""
    if not shed:
        return "There is time for everything again."
    if shed is LoadShed.TRANSLATION:
        return "This computer is too slow to caption and translate at once: translations wait for a pause."
    left_out = "and captions get worse" if shed < LoadShed.AUDIO else "and parts are not captioned"
    return f"This computer is too slow for the model, {left_out}. Close other programs, or choose a smaller model."


def load_recognizer(model: str) -> RecognizerMaker:
    """Load and warm up a speech recognition model; write warnings about slow settings to standard error."""
    from engine.process.loading import load_recognizer as load

    ready, make = load(model)
    _warn(ready)
    return make


def load_translation(choice: TranslationChoice) -> Callable[[], LiveTranslation]:
    """Load and warm up a language model; return a function that makes a translation for each speaker."""
    from engine.process.loading import load_translation as load

    ready, make = load(choice.model_used)
    _warn(ready)
    return lambda: make(choice.live_options)


def _by_ear(make: RecognizerMaker, options: CaptionOptions, choice: TranslationChoice) -> Callable[[], EarTranslation]:
    """Return a function that makes a translation by the model that hears."""
    from engine.translate.by_ear import EarTranslation, into_english

    english, wanted = into_english(options), choice.live_options
    return lambda: EarTranslation(make(english), wanted)


def load_voice(choice: TranslationChoice) -> Voice | None:
    """Load what speaks a translation; None if it stays written. Raises VoiceError if nothing here can."""
    if choice.voice is None:
        return None
    from engine.translate.spoken import voice_into

    voice, problem = voice_into(choice.voice, choice.options.target)
    if problem:
        sys.stderr.write(f"earshot: {problem}\n")
    return voice


def _warn(ready: Ready) -> None:
    for warning in ready.warnings:
        sys.stderr.write(f"earshot: {warning}\n")


class Captioning:
    """A caption session from its first sample to its summary.

    Attributes:
        finals: final captions by id, the newest revision of each.
        translations: final translations by id, the newest of each.
        labels: speakers of captions that were told apart by voice, the newest of each.
    """

    def __init__(
        self,
        sources: Sequence[OpenSource],
        pace: Pace,
        session: CaptionSides,
        printer: CaptionPrinter,
        exports: ExportFiles,
        *,
        labelled: bool = False,
        spoken: SpokenOut | None = None,
    ) -> None:
        self.finals: dict[int, Caption] = {}
        self.translations: dict[int, Translation] = {}
        self.labels: dict[int, str] = {}
        self._sources = tuple(sources)
        self._pace: Pace = pace
        self._session = session
        self._printer = printer
        self._exports = exports
        self._spoken = spoken
        self._live = [live_file(path, translated=session.translating, labelled=labelled) for path in exports.live]
        self._output = Output(has_files=bool(exports.paths or exports.live))
        self._shed = LoadShed.NOTHING

    def run(self) -> Summary:
        """Caption all audio, print it, and write the exports."""
        from engine.audio.feed import feed
        from engine.audio.source import damage_told

        with ExitStack() as stack:
            stack.callback(self._close)
            interruption = stack.enter_context(Interruption(self._sources[0].stop))
            chunks = interruption.until_asked(self._chunks())
            for shown in feed(chunks, self._session, pace=self._pace, sides=len(self._sources)):
                self._show(shown)
                self._print_notices()
            self._print_notices()
            summary: Summary = self._session.summary
            self._with_voice(lambda spoken: spoken.finish())
            self._close()
            self._output.write(lambda: self._printer.conclude(summary))
            for path in self._exports.paths:
                self._output.keep(partial(self._export, path, summary))
        if damage := damage_told([each for source in self._sources for each in source.damage]):
            self._output.failures.append(AudioError(damage))
        self._output.end()
        return summary

    def _chunks(self) -> Iterator[tuple[int, Samples]]:
        """Yield the chunks. If a live source fails, the audio ends, and the error is raised after the exports."""
        try:
            for side, chunk in chunks_of(self._sources):
                self._print_notices()
                spoken = self._spoken  # another thread may drop it
                heard = spoken is not None and hears_room(self._sources[side].source)
                yield side, spoken.without(chunk) if spoken is not None and heard else chunk
        except AudioError as error:
            if not all(each.source.passes_by for each in self._sources) or self._session.audio_seconds == 0:
                raise
            self._output.failures.append(error)

    def _print_notices(self) -> None:
        """Print notices of the sources, incidents and changes of the omitted work to standard error."""
        notices = [each.news.popleft() for each in self._sources for _ in range(len(each.news))]
        notices += [self._session.incidents.popleft().message for _ in range(len(self._session.incidents))]
        if self._session.shed != self._shed:
            self._shed = self._session.shed
            notices.append(_words_for(self._shed))
        for sentence in notices:
            self._output.write(partial(self._printer.tell, sentence))
            with suppress(OSError):
                sys.stderr.write(f"earshot: {sentence}\n")

    def _show(self, shown: Shown) -> None:
        if isinstance(shown, SpokenTranslation):
            self._with_voice(lambda spoken: spoken.add(shown))
            return
        if isinstance(shown, SpeakerLabel):
            if shown.speaker:
                self.labels[shown.id] = shown.speaker
        elif isinstance(shown, Translation):
            if shown.final:
                self.translations[shown.id] = shown
        elif shown.final:
            self.finals[shown.id] = shown
        self._output.write(lambda: self._printer.show(shown))
        self._follow(lambda file: file.show(shown))
        if not self._session.translating:
            self._output.write(self._printer.release)
            self._follow(lambda file: file.release())

    def _with_voice(self, speak: Callable[[SpokenOut], None]) -> None:
        """Speak the translation; if that fails, go on without, and report it at the end."""
        if (spoken := self._spoken) is None:
            return
        try:
            speak(spoken)
        except EngineError as error:
            self._spoken = None
            spoken.close()
            self._output.failures.append(error)

    def _follow(self, write: Callable[[LiveFile], None]) -> None:
        """Write to the live files; one that fails is left alone from then on, and reported at the end."""
        for file in tuple(self._live):
            try:
                write(file)
            except EngineError as error:
                self._live.remove(file)
                self._output.failures.append(error)

    def _export(self, path: Path, summary: Summary) -> Sequence[Path]:
        named = (replace(each, speaker=self.labels.get(each.id, each.speaker)) for each in self.finals.values())
        transcript = Transcript(
            captions=tuple(sorted(named, key=lambda each: each.start)),
            translations=tuple(self.translations.values()),
            audio_seconds=summary.audio_seconds,
        )
        parts: Parts = "separate" if self._exports.separate else "both"
        return write_transcript(path, transcript, ExportChoice(path.suffix.lower(), parts, times=False))

    def _close(self) -> None:
        self._session.close()
        if self._spoken is not None:
            self._spoken.close()
        self._follow(lambda file: file.close())
        with suppress(OSError):
            self._printer.close()
