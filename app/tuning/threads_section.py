"""How the processor is shared out between the two halves of hearing: as profiled, or by hand."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.preferences.changes import usual_threads
from app.preferences.settings import Settings
from app.tuning.board import SPEED, FigureBoard
from app.tuning.profile_box import ProfileBox
from app.tuning.section import Section
from app.widgets.control import CheckControl, ChoiceControl, Scale, SliderControl
from engine.machine.threads import usable_cores


class ThreadsSection(Section):
    """The settings of threads, and the profiler."""

    def __init__(self, settings: Settings, board: FigureBoard, parent: QWidget | None = None) -> None:
        super().__init__(settings, board, SPEED, usual_threads, parent)
        self._cores = usable_cores()
        self.profile = ProfileBox(settings)
        scale = Scale(1, self._cores, 1)
        self.automatic = CheckControl(
            self.tr("Automatic"), self.tr("As the profile below found best for this computer and model.")
        )
        self.cpu = SliderControl(
            self.tr("Threads that write words"), scale, self._words, self.tr("For the decoder: the processor's half.")
        )
        self.gpu = SliderControl(
            self.tr("Threads that listen"),
            scale,
            self._words,
            self.tr("For the encoder: the graphics processor's half where there is one."),
        )
        self.overlap = ChoiceControl(
            self.tr("Rounds"),
            ((self.tr("as profiled"), None), (self.tr("one after the other"), False), (self.tr("overlap"), True)),
            self.tr("Overlapping pays where a round takes longer than the sound that is new to it."),
        )
        self.bind(self.automatic, "threads.automatic")
        self.bind(self.cpu, "threads.cpu_threads", lambda p: not p.threads.automatic)
        self.bind(self.gpu, "threads.gpu_threads", lambda p: not p.threads.automatic)
        self.bind(self.overlap, "captions.pipeline")
        self.add(self.profile)
        self.finish()

    def _words(self, threads: float) -> str:
        return self.tr("{:.0f} of {} cores").format(threads, self._cores)
