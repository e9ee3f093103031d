"""Builds the window's objects and wires them; the only place that does."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from app.actions import Actions
from app.audio_sources import AudioFile
from app.captioning import demo_clip
from app.device_search import DeviceSearch
from app.engine_client import EngineClient
from app.history.last_captions import LastCaptions
from app.live_session import LiveSession
from app.main_window import MainWindow
from app.settings.preferences_file import PreferencesFile
from app.theme import Theme
from engine.options import CaptionOptions

USUAL_MODEL = "starter"
USUAL_TRANSLATION_MODEL = "starter-language"


class Application(QObject):
    """The whole app but for Qt's event loop.

    Attributes:
        window: not shown yet.
    """

    def __init__(
        self,
        qt: QApplication,
        model: str = USUAL_MODEL,
        data_folder: Path | None = None,
        client: EngineClient | None = None,
        options: CaptionOptions | None = None,
        translation_model: str = USUAL_TRANSLATION_MODEL,
    ) -> None:
        """`data_folder` is where transcripts and settings are kept: the user's own where none is given."""
        super().__init__()
        folder = data_folder or _data_folder()
        self.theme = Theme(qt)
        self.client = client or EngineClient(self)
        self.session = LiveSession(self.client, model, options or CaptionOptions(), self)
        self.devices = DeviceSearch(self)
        self.window = MainWindow(
            self.session,
            self.theme,
            Actions(self.theme, self),
            AudioFile(demo_clip(), self.tr("Demo meeting")),
            LastCaptions(folder),
            PreferencesFile(folder),
            translation_model,
        )
        self.window.picker.opened.connect(self.devices.start)
        self.devices.found.connect(self.window.show_microphones)
        self.devices.failed.connect(self.window.show_no_microphones)
        self.window.left.connect(self.shut_down)
        self.window.translation.take_up()

    def start(self) -> None:
        """Show the window, then get everything behind it ready."""
        self.window.show()
        QTimer.singleShot(0, self.session.prepare)
        QTimer.singleShot(0, self.devices.start)

    def shut_down(self) -> None:
        """Leave nothing running."""
        self.session.shut_down()
        self.devices.wait(seconds=1.0)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and stay until it is closed."""
    parser = argparse.ArgumentParser(prog="earshot", description="Open the window.")
    parser.add_argument("--model", default=USUAL_MODEL, help="name or folder of the hearing model")
    parser.add_argument(
        "--translation-model", default=USUAL_TRANSLATION_MODEL, help="name or folder of the language model"
    )
    parser.add_argument("file", nargs="?", type=Path, help="audio file to caption at once")
    arguments = parser.parse_args(argv)
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName("earshot")
    qt.setApplicationDisplayName("Earshot")
    qt.setDesktopFileName("earshot")
    application = Application(qt, arguments.model, translation_model=arguments.translation_model)
    application.start()
    if arguments.file is not None:
        QTimer.singleShot(0, lambda: application.window.open_file(arguments.file))
    with Interrupts(application.window):
        return qt.exec()


class Interrupts(QObject):
    """A context in which Ctrl-C and SIGTERM close the window as its close button does.

    Python runs signal handlers between its own instructions, and Qt's loop may rest for long without any: the signal
    wakes it by a byte in a socket pair.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._close_window)

    def __enter__(self) -> Interrupts:
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _close_window(self) -> None:
        self._reader.recv(64)
        self._window.close()


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("earshot", appauthor=False)
