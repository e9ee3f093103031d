"""The parts that let others read: the page, while it is open, and the live files."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.preferences.settings import Settings
from app.share.live_folder import LiveFolder
from app.share.page_server import PageServer
from app.transcript.caption_model import CaptionModel


class Sharing(QObject):
    """The page and the live files of one transcript.

    Attributes:
        page: opened and closed by hand; it closes with the recording, too.
        files: written while a recording runs.
        settings: hold the folder of the live files.
    """

    def __init__(
        self, model: CaptionModel, settings: Settings, is_translating: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.settings = settings
        self.page = PageServer(model, self)
        self.files = LiveFolder(model, settings, is_translating, self)

    def begin(self) -> None:
        """Begin with a recording."""
        self.files.begin()

    def end(self) -> None:
        """End with the recording: nothing of the next one is to be read by those who read along in this one."""
        self.files.end()
        self.page.close()
