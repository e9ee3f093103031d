"""A recording in the engine process: decoded, heard and translated as fast as this machine can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from engine.audio.decoding import TrackChoice
from engine.audio.remark import Remark
from engine.audio.source import audio_seconds, begun, damage_told, stream_audio
from engine.captions.for_files import for_files
from engine.captions.opening import open_captions
from engine.clock import SimulatedClock
from engine.events import Caption, Incident, Shown, Translation, Word
from engine.process.loading import RecognizerMaker, TranslationMaker
from engine.process.messages import Command, Event, Progress, Transcribed, TranscribeFile
from engine.process.worker import Worker
from engine.speakers.search import find_speakers
from engine.translate.by_ear import EarTranslation, into_english

if TYPE_CHECKING:
    from engine.speakers.words import WordSpeakers


class FileWorker(Worker):
    """Transcribes one recording, chunk by chunk, and ends with its transcript."""

    progress_seconds = 1.0

    def __init__(
        self,
        start: TranscribeFile,
        load: Callable[[str], RecognizerMaker],
        load_translation: Callable[[str], TranslationMaker],
        send: Callable[[Event], None],
        get_on: Callable[[], None],
    ) -> None:
        """Open the recording, so that a bad one is refused at once; then load the models, each by its name.

        `get_on` is called after every stage of a round and after every translation.

        Raises:
            AudioError: nothing of the recording can be decoded.
            EngineError: a model cannot be loaded, or cannot hear or translate in this way.
        """
        super().__init__(send)
        self._damage: list[str] = []
        self._captions: list[Caption] = []
        self._translations: list[Translation] = []
        self._get_on = get_on
        self._total_seconds = audio_seconds(start.path)
        self._start = start
        self._speakers: WordSpeakers | None = None
        track = TrackChoice(language=start.options.language)
        self._chunks = begun(stream_audio(start.path, report=self._note, choice=track))
        make_recognizer, options = load(start.model), for_files(start.options)
        self._session = open_captions(
            make_recognizer, options, clock=SimulatedClock(), word_speakers=self._word_speakers
        )
        self._session.report_stages_to(get_on)
        choice = start.translation.for_files() if start.translation is not None else None
        if choice is not None and choice.by_ear:
            english = into_english(options)
            self._session.translate_with(lambda: EarTranslation(make_recognizer(english), choice.options))
        elif choice is not None:
            make = load_translation(choice.model_used)
            self._session.translate_with(lambda: make(choice.options))

    @property
    def busy(self) -> bool:
        return not self.over

    def carry_out(self, command: Command) -> None:
        """Do nothing: no command changes the work under way."""

    def hear(self) -> None:
        """Report the beginning: the models are loaded. Then tell the speakers apart, where that is wanted."""
        self._tell_progress(whole=True)
        if self._start.speakers is not None and self._speakers is None:
            chunks = stream_audio(self._start.path, choice=TrackChoice(language=self._start.options.language))
            self._speakers = find_speakers(chunks, self._start.speakers, self._tell_search)

    def work(self) -> None:
        if (chunk := next(self._chunks, None)) is not None:
            self._session.add_audio((0, chunk))
            self._collect(self._session.update())
            self._tell_progress()
        else:
            self._collect(self._session.finish())
            captions = tuple(sorted(self._captions, key=lambda each: each.start))
            damage = damage_told(self._damage)
            self._send(Transcribed(captions, tuple(self._translations), self._session.audio_seconds, damage))
            self.over = True

    def close(self) -> None:
        self._session.close()

    def _note(self, said: str | Remark) -> None:
        """Keep damage for the end, and send a remark as an incident."""
        if isinstance(said, Remark):
            self._send(Incident(said.sentence))
        else:
            self._damage.append(said)

    def _collect(self, shown: Iterable[Shown]) -> None:
        """Keep final captions and translations, and send incidents."""
        for each in shown:
            self._get_on()
            if isinstance(each, Caption) and each.final:
                self._captions.append(each)
            elif isinstance(each, Translation) and each.final:
                self._translations.append(each)
        while self._session.incidents:
            self._send(self._session.incidents.popleft())

    def _word_speakers(self, words: Sequence[Word]) -> list[str]:
        """Return the speaker of each word; nobody's name where speakers are not told apart."""
        return self._speakers(words) if self._speakers is not None else [""] * len(words)

    def _tell_search(self, seconds: float) -> None:
        self._get_on()
        self._report(Progress(seconds, False, total_seconds=self._total_seconds, for_speakers=True), whole=False)

    def _tell_progress(self, *, whole: bool = False) -> None:
        ((side, seconds, speaking, shed),) = self._session.progress()
        self._report(Progress(seconds, speaking, side, shed, self._total_seconds), whole=whole)
