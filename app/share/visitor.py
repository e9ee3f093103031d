"""One connection to the page: a request, then a file or the captions as they come."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

import h11
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QAbstractSocket, QTcpSocket

from app.share.page_door import Request

REQUEST_MILLISECONDS = 10_000
"""Longest wait for a request, and for a file to be fetched."""

MOST_REQUEST_BYTES = 8_192
MOST_WAITING_BYTES = 65_536
"""Bytes that a slow reader may leave unread before it gets no more until it has read them."""

Headers = Sequence[tuple[str, str]]


class Visitor(QObject):
    """Speaks HTTP over a socket. Only its first request is answered.

    Attributes:
        address: the other end.
        is_reader: whether the captions are being sent.
        seen: number of the newest change that was sent.

    Signals:
        asked: the Visitor, and the Request that has come.
        drained: the Visitor, a slow reader who has read what it was sent.
        gone: the Visitor whose connection has ended.
    """

    asked = Signal(object, object)
    drained = Signal(object)
    gone = Signal(object)

    def __init__(self, socket: QTcpSocket, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.address = socket.peerAddress().toString()
        self.is_reader = False
        self.seen = 0
        self._socket = socket
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_REQUEST_BYTES)
        self._was_asked = False
        self._without_body = False
        socket.setReadBufferSize(MOST_REQUEST_BYTES)
        socket.setSocketOption(QAbstractSocket.SocketOption.LowDelayOption, 1)
        socket.setSocketOption(QAbstractSocket.SocketOption.KeepAliveOption, 1)
        socket.readyRead.connect(self._read)
        socket.bytesWritten.connect(self._note_written)
        socket.disconnected.connect(self._note_end)
        socket.disconnected.connect(socket.deleteLater)
        self._patience = QTimer(self, singleShot=True, interval=REQUEST_MILLISECONDS)
        self._patience.timeout.connect(self.abort)
        self._patience.start()

    @property
    def is_slow(self) -> bool:
        """Return whether too much is waiting to be read at the other end."""
        return self._socket.bytesToWrite() > MOST_WAITING_BYTES

    def answer(self, status: HTTPStatus, headers: Headers = (), body: bytes = b"") -> None:
        """Send a whole answer, and end the connection."""
        length = ("Content-Length", str(len(body)))
        self._send(self._head(status, (*headers, length, ("Connection", "close"))))
        if body and not self._without_body:
            self._send(h11.Data(data=body))
        if not self._without_body:
            self._send(h11.EndOfMessage())
        self._socket.disconnectFromHost()

    def begin_stream(self, headers: Headers) -> None:
        """Send the head of an answer without an end."""
        self._patience.stop()
        self.is_reader = True
        self._send(self._head(HTTPStatus.OK, headers))

    def send(self, data: bytes) -> None:
        """Send a part of a stream."""
        self._send(h11.Data(data=data))

    def end_stream(self, data: bytes) -> None:
        """Send the last part of a stream, and end the connection."""
        self._send(h11.Data(data=data))
        self._send(h11.EndOfMessage())
        self.is_reader = False
        self._patience.start()
        self._socket.flush()  # the app may be about to end
        self._socket.disconnectFromHost()

    def abort(self) -> None:
        """End the connection at once."""
        self._socket.abort()

    def _head(self, status: HTTPStatus, headers: Headers) -> h11.Response:
        return h11.Response(status_code=status, reason=status.phrase, headers=list(headers))

    def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data and self._socket.state() == QAbstractSocket.SocketState.ConnectedState:
            self._socket.write(data)

    def _note_written(self) -> None:
        if self.is_reader and not self.is_slow:
            self.drained.emit(self)

    def _note_end(self) -> None:
        self._patience.stop()
        self.gone.emit(self)

    def _read(self) -> None:
        data = bytes(self._socket.readAll().data())
        if self._was_asked:
            return  # whatever else is said does not matter
        try:
            self._http.receive_data(data)
            event = self._http.next_event()
        except h11.RemoteProtocolError:
            self._was_asked = True
            self._socket.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self._socket.disconnectFromHost()
            return
        if isinstance(event, h11.Request):
            self._was_asked = True
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
            request = Request(event.method.decode("latin-1"), event.target.decode("latin-1"), headers)
            self._without_body = request.method == "HEAD"
            self.asked.emit(self, request)
