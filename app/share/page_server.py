"""The page in the local network: captions and their translation, read-only, at an address that nobody can guess.

HTTP is spoken by h11, the library under httpx and uvicorn, and the sockets are Qt's: both are in the bundle already.
The window's own event loop carries them: there is no second thread, and a reader costs nothing while nobody speaks.
"""

from __future__ import annotations

import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QHostAddress, QTcpServer

from app.look.theme import RESOURCES
from app.share.page_door import Door, Request, new_token
from app.share.page_feed import PageFeed
from app.transcript.caption_model import CaptionModel

if TYPE_CHECKING:
    from app.share.visitor import Visitor

PORT = 8642
"""Port that is taken where it is free, so that a firewall can be told."""

MOST_READERS = 100
MOST_CONNECTIONS = 140
MOST_PER_ADDRESS = 12
ALIVE_MILLISECONDS = 15_000
"""Interval at which readers are told that the connection is alive."""

COALESCE_MILLISECONDS = 20
_ALIVE = b"event: alive\ndata:\n\n"
_END = b"event: end\ndata:\n\n"
_FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)  # fmt: skip


class PageServer(QObject):
    """Serves the page from `open` to `close`.

    Attributes:
        url: the page's address; empty while it is closed.

    Signals:
        changed: it was opened or closed, or the number of readers is another.
    """

    changed = Signal()

    def __init__(self, model: CaptionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._server = QTcpServer(self)
        self._server.newConnection.connect(self._accept)
        self._door: Door | None = None
        self._feed: PageFeed | None = None
        self._visitors: list[Visitor] = []
        self._rest = QTimer(self, singleShot=True, interval=COALESCE_MILLISECONDS)
        self._rest.timeout.connect(self._catch_up)
        self._alive = QTimer(self, interval=ALIVE_MILLISECONDS)
        self._alive.timeout.connect(self._show_alive)

    @property
    def url(self) -> str:
        return self._door.url if self._door is not None else ""

    @property
    def readers(self) -> int:
        """Return how many browsers are being sent captions."""
        return sum(each.is_reader for each in self._visitors)

    def open(self, address: str) -> str:
        """Serve the page at an address of this computer; return why that cannot be, else an empty text."""
        self.close()
        host = QHostAddress(address)
        if not (self._server.listen(host, PORT) or self._server.listen(host, 0)):
            return self._server.errorString()
        self._door = Door(f"{address}:{self._server.serverPort()}", new_token(), time.monotonic)
        feed = self._feed = PageFeed(self._model, self)
        feed.changed.connect(self._note_news)
        self._alive.start()
        self.changed.emit()
        return ""

    def close(self) -> None:
        """Send the readers the end, and stop listening."""
        if self._feed is None:
            return
        self._catch_up()
        self._server.close()
        self._alive.stop()
        self._rest.stop()
        feed, self._feed, self._door = self._feed, None, None
        feed.deleteLater()
        for visitor in tuple(self._visitors):
            if visitor.is_reader:
                visitor.end_stream(_END)
            else:
                visitor.abort()
        self.changed.emit()

    def _accept(self) -> None:
        from app.share.visitor import Visitor  # the window is not to wait for it

        while (socket := self._server.nextPendingConnection()) is not None:
            visitor = Visitor(socket, self)
            same = sum(each.address == visitor.address for each in self._visitors)
            if len(self._visitors) >= MOST_CONNECTIONS or same >= MOST_PER_ADDRESS:
                visitor.abort()
                visitor.deleteLater()
                continue
            self._visitors.append(visitor)
            visitor.asked.connect(self._answer)
            visitor.drained.connect(self._send_news)
            visitor.gone.connect(self._forget)

    def _forget(self, visitor: Visitor) -> None:
        if visitor in self._visitors:
            self._visitors.remove(visitor)
            visitor.deleteLater()
            self.changed.emit()

    def _answer(self, visitor: Visitor, request: Request) -> None:
        if self._door is None:
            visitor.abort()
            return
        status, path = self._door.check(request, visitor.address)
        if status is not HTTPStatus.OK:
            retry = (("Retry-After", "10"),) if status is HTTPStatus.TOO_MANY_REQUESTS else ()
            visitor.answer(status, (*_HEADERS, *retry))
        elif path in _FILES:
            if not request.target.partition("?")[0].endswith("/" + path):  # its own files stand beside it
                visitor.answer(HTTPStatus.SEE_OTHER, (*_HEADERS, ("Location", f"/{self._door.token}/")))
                return
            name, kind = _FILES[path]
            visitor.answer(HTTPStatus.OK, (*_HEADERS, ("Content-Type", kind)), _content(name))
        elif path == "captions" and request.method == "GET":
            self._begin(visitor, request)
        else:
            visitor.answer(HTTPStatus.NOT_FOUND, _HEADERS)

    def _begin(self, visitor: Visitor, request: Request) -> None:
        if self.readers >= MOST_READERS:
            visitor.answer(HTTPStatus.SERVICE_UNAVAILABLE, (*_HEADERS, ("Retry-After", "10")))
            return
        # A browser that was interrupted names the newest event that it has; the page itself does so in the address.
        newest = request.headers.get("last-event-id") or request.target.partition("?after=")[2]
        visitor.seen = int(newest) if re.fullmatch("[0-9]{1,12}", newest) else 0
        visitor.begin_stream((*_HEADERS, ("Content-Type", "text/event-stream; charset=utf-8")))
        visitor.send(b"retry: 1000\n" + _ALIVE)
        self._send_news(visitor)
        self.changed.emit()

    def _note_news(self) -> None:
        if not self._rest.isActive():
            self._rest.start()

    def _catch_up(self) -> None:
        for visitor in tuple(self._visitors):
            if visitor.is_reader:
                self._send_news(visitor)

    def _send_news(self, visitor: Visitor) -> None:
        """Send what has changed since the last time, unless that is not read yet."""
        feed = self._feed
        if feed is None or visitor.is_slow or visitor.seen == feed.number:
            return
        if news := feed.since(visitor.seen):
            visitor.send(news)
        visitor.seen = feed.number

    def _show_alive(self) -> None:
        for visitor in tuple(self._visitors):
            if visitor.is_reader and not visitor.is_slow:
                visitor.send(_ALIVE)


def _content(name: str) -> bytes:
    return (RESOURCES / "share" / name).read_bytes()
