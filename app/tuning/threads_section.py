"""The allocation of the processor to the two halves of recognition: as profiled, or by hand."""

from __future__ import annotations

from app.preferences.changes import usual_threads
from app.preferences.settings import Settings
from app.tuning.board import SPEED, FigureBoard
from app.tuning.profile_box import ProfileBox
from app.tuning.section import Section
from app.widgets.editors import Editor
from app.widgets.rows import Scale
from engine.machine.threads import usable_cores


class ThreadsSection(Section):
    """The settings of threads, and the profiler."""

    def __init__(self, settings: Settings, board: FigureBoard) -> None:
        super().__init__(settings, board, SPEED, usual_threads)
        self._cores = usable_cores()
        self.add_rows(each.stacked(settings) for each in self._editors())
        self.profile = ProfileBox(settings)
        self.add(self.profile)
        self.finish()

    def _editors(self) -> tuple[Editor, ...]:
        scale = Scale(1, self._cores, 1)
        return (
            Editor(
                "threads.automatic",
                self.tr("Automatic"),
                self.tr("What the measurement below found best for this computer and model."),
            ),
            Editor(
                "threads.cpu_threads",
                self.tr("Threads for writing"),
                self.tr("For the decoder: the processor's half."),
                scale,
                self._words,
                needs=lambda now: not now.threads.automatic,
            ),
            Editor(
                "threads.gpu_threads",
                self.tr("Threads for listening"),
                self.tr("For the encoder: the graphics processor's half where there is one."),
                scale,
                self._words,
                needs=lambda now: not now.threads.automatic,
            ),
            Editor(
                "captions.pipeline",
                self.tr("Rounds"),
                self.tr("Overlapping helps if a round takes longer than the new sound that it hears."),
                options=(
                    (None, self.tr("as measured")),
                    (False, self.tr("one after the other")),
                    (True, self.tr("overlap")),
                ),
            ),
        )

    def _words(self, threads: float) -> str:
        return self.tr("{:.0f} of {} cores").format(threads, self._cores)
