"""One of Earshot's own commands in a process of its own: how far it is, what it came to, and how to end it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from app.preferences.program import own_command

END_MILLISECONDS = 2000
MOST_LINES = 20
_PROGRESS = re.compile(r"(\d+) of (\d+): (.*)")


class CommandRun(QObject):
    """Runs one command at a time. The window never waits for it.

    Signals:
        progressed: how many parts are done, of how many, and the name of the newest.
        ended: what the command printed.
        failed: why it did not come to its end, in one sentence; not after `cancel`.
    """

    progressed = Signal(int, int, str)
    ended = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._half_line = ""
        self._lines: deque[str] = deque(maxlen=MOST_LINES)

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self, arguments: Sequence[str], given: str = "") -> None:
        """Run `earshot` with these arguments, unless a command is running; `given` is its standard input."""
        if self._process is not None:
            return
        process = self._process = QProcess(self)
        self._half_line = ""
        self._lines.clear()
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONIOENCODING", "utf-8")
        environment.insert("PYTHONUNBUFFERED", "1")
        process.setProcessEnvironment(environment)
        process.readyReadStandardError.connect(self._listen)
        process.finished.connect(self._handle_end)
        process.errorOccurred.connect(self._handle_error)
        program, *before = own_command()
        process.start(program, [*before, *arguments])
        process.write(given.encode())
        process.closeWriteChannel()

    def cancel(self) -> None:
        """End it at once; nothing more comes of it."""
        process = self._let_go()
        if process is not None:
            process.kill()
            process.waitForFinished(END_MILLISECONDS)
            process.deleteLater()

    def _let_go(self) -> QProcess | None:
        process, self._process = self._process, None
        if process is not None:
            process.blockSignals(True)
        return process

    def _listen(self) -> None:
        if self._process is None:
            return
        self._half_line += bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
        *lines, self._half_line = self._half_line.split("\n")
        for line in lines:
            progress = _PROGRESS.fullmatch(line.strip())
            if progress is not None:
                self.progressed.emit(int(progress[1]), int(progress[2]), progress[3])
            elif line.strip():
                self._lines.append(line.strip())

    def _handle_end(self, code: int, status: QProcess.ExitStatus) -> None:
        self._listen()
        process = self._let_go()
        if process is None:
            return
        printed = bytes(process.readAllStandardOutput().data()).decode("utf-8", "replace")
        process.deleteLater()
        if status is QProcess.ExitStatus.CrashExit:
            self.failed.emit(self.tr("It stopped before it had finished. Try again."))
        elif code:
            self.failed.emit(self._reason())
        else:
            self.ended.emit(printed)

    def _handle_error(self, error: QProcess.ProcessError) -> None:
        if error is not QProcess.ProcessError.FailedToStart:
            return  # a crash comes to its end too
        process = self._let_go()
        if process is not None:
            process.deleteLater()
            self.failed.emit(self.tr("It could not be started: {}.").format(process.errorString()))

    def _reason(self) -> str:
        """Return the last line of the command, which holds its problem."""
        if not self._lines:
            return self.tr("It failed without saying why. Try again.")
        return self._lines[-1].removeprefix("earshot: ")
