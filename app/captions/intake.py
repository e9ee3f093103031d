"""What the engine says of the newest recording, on its way into the transcript."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.captions.caption_translations import CaptionTranslations
from app.captions.engine_health import EngineHealth
from app.captions.figures import Sample
from app.captions.heard_recording import HeardRecording
from app.engine_link.engine_client import EngineClient
from engine.events import Caption, RoundStats, Translation
from engine.process.messages import Progress


class Intake(QObject):
    """Takes captions, translations and measurements as they come.

    Attributes:
        recording: the newest one, to which all that comes belongs.

    Signals:
        figure_measured: a Sample, as soon as there is one.
        translation_changed: a Translation, which the transcript has.
    """

    figure_measured = Signal(Sample)
    translation_changed = Signal(Translation)

    def __init__(
        self,
        client: EngineClient,
        recording: HeardRecording,
        translations: CaptionTranslations,
        engine: EngineHealth,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.recording = recording
        self._translations = translations
        self._engine = engine
        client.caption_changed.connect(self._show)
        client.translation_changed.connect(self._show_translation)
        client.round_measured.connect(self._count_round)
        client.progressed.connect(self._note_progress)

    @Slot(Caption)
    def _show(self, caption: Caption) -> None:
        self._tell_measured(self.recording.show(caption))

    @Slot(Translation)
    def _show_translation(self, translation: Translation) -> None:
        if self._translations.show(translation):
            self._tell_measured(self.recording.meter.add_translation(translation))
            self.translation_changed.emit(translation)

    @Slot(RoundStats)
    def _count_round(self, stats: RoundStats) -> None:
        self._tell_measured(self.recording.count_round(stats))

    @Slot(Progress)
    def _note_progress(self, progress: Progress) -> None:
        self.recording.note_progress(progress)
        self._engine.note_progress(self.recording.heard_seconds)

    def _tell_measured(self, samples: list[Sample]) -> None:
        for sample in samples:
            self.figure_measured.emit(sample)
