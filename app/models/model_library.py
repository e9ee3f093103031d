"""The library of models, read and changed off the GUI thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess, QTimer, Signal, Slot

from app.engine_link.command_run import CommandRun
from app.models.uses import may_be_offered
from app.preferences.program import FOLDER, own_command
from engine.errors import EngineError
from engine.loading.library import LibraryModel, library, remove_model
from engine.machine.pace import MachinePace, load_pace

RETRY_MILLISECONDS = 500
"""Pause before the list is read again that could not be read."""


class ModelLibrary(QObject):
    """Holds the list of models.

    Attributes:
        models: the newest list; empty until it was read once.
        pace: estimated speed of recognition on this machine; None if it was not estimated.
        may_measure: returns whether the machine is idle enough to estimate it.

    Signals:
        changed: the list was read again.
        removed: a model's name, and the freed bytes.
        added: the name of a model that was added.
        failed: an error, in one sentence.
    """

    changed = Signal()
    removed = Signal(str, object)
    added = Signal(str)
    failed = Signal(str)
    _read = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.models: tuple[LibraryModel, ...] = ()
        self.pace: MachinePace | None = None
        self.may_measure: Callable[[], bool] = lambda: False
        self._measurement = CommandRun(self)
        self._measurement.ended.connect(self.refresh)
        self._is_measured = False
        self._threads: set[threading.Thread] = set()
        self._imports: list[QProcess] = []
        self._wanted = False
        self._reading = False
        self._read.connect(self._show)

    def model(self, name: str) -> LibraryModel | None:
        return next((model for model in self.models if model.name == name), None)

    def refresh(self) -> None:
        """Read the list again; `changed` follows."""
        self._wanted = True
        if not self._reading:
            self._reading = True
            self._wanted = False
            self._start(self._look)

    def _look(self) -> None:
        try:
            self._read.emit((library(), load_pace()))
        except OSError:  # a file went while it was looked at, as at the end of a download
            self._read.emit(None)

    def measure(self) -> None:
        """Estimate this machine's speed in a separate process, if it is unknown and the machine is idle.

        An estimate by which no model keeps up is repeated once per run: other programs may have been busy then.
        """
        unknown = self.pace is None or not self.pace.keeps_up
        if unknown and not self._is_measured and self.models and self.may_measure():
            self._is_measured = True
            self._measurement.start(["doctor", "--plan", "--json"])

    def remove(self, name: str) -> None:
        """Delete a model's download, or remove a folder from the library."""
        self._start(lambda: self._remove(name))

    def add(self, place_or_repository: str) -> None:
        """Check and add a model in a separate process, because that needs the libraries that run models."""
        program, *before = own_command()
        process = QProcess(self)
        process.setWorkingDirectory(str(FOLDER))
        process.setProgram(program)
        process.setArguments([*before, "models", "add", "--json", "--", place_or_repository])
        process.finished.connect(lambda code: self._finish_import(process, code))
        process.errorOccurred.connect(lambda error: self._fail_import(process, error))
        self._imports.append(process)
        process.start()

    def shut_down(self) -> None:
        """Stop all processes."""
        self._measurement.cancel()
        for process in self._imports:
            process.blockSignals(True)
            process.kill()
            process.waitForFinished(1000)
        for thread in list(self._threads):
            thread.join(2.0)

    def _start(self, work: Callable[[], None]) -> None:
        def run() -> None:
            work()
            self._threads.discard(thread)

        thread = threading.Thread(target=run, name="model library", daemon=True)
        self._threads.add(thread)
        thread.start()

    @Slot(object)
    def _show(self, read: object) -> None:
        self._reading = False
        if read is None:
            QTimer.singleShot(RETRY_MILLISECONDS, self, self.refresh)
            return
        assert isinstance(read, tuple)
        models, self.pace = read
        self.models = tuple(filter(may_be_offered, models))
        if self._wanted:
            self.refresh()
        self.changed.emit()

    def _remove(self, name: str) -> None:
        try:
            freed = remove_model(name)
        except EngineError as error:
            self.failed.emit(str(error))
        else:
            self.removed.emit(name, freed)

    def _finish_import(self, process: QProcess, code: int) -> None:
        self._forget(process)
        if code == 0:
            self.added.emit(str(json.loads(bytes(process.readAllStandardOutput().data()))["name"]))
            return
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip().splitlines()
        sentence = said[-1].removeprefix("earshot: ") if said else ""
        self.failed.emit(sentence or self.tr("The model could not be checked."))

    def _fail_import(self, process: QProcess, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._forget(process)
            self.failed.emit(self.tr("The model could not be checked: {reason}.").format(reason=process.errorString()))

    def _forget(self, process: QProcess) -> None:
        if process in self._imports:
            self._imports.remove(process)
        process.deleteLater()
