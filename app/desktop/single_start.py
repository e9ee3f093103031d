"""A single instance per user and data folder: a second start, or an order of the command line, goes to the first.

Both meet at a socket in the user's runtime folder, which nobody else can open; there is no port. Each start of a
Flatpak has a runtime folder of its own; these meet in the one that all starts of the Flatpak share.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.preferences.program import flatpak_id

PATIENCE_MILLISECONDS = 30_000
"""Longest wait for the running instance, which cannot answer while it starts on a slow disk, or is stopped for a while.
Where none runs, that is known at once."""
MOST_BYTES = 65_536
"""Largest accepted request, in bytes."""

_TAKEN = b"taken\n"
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
"""Variables by which a desktop knows that the user asked for a window, so that it may come to the front."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a start.

    Attributes:
        file: absolute path of a file to caption at once; empty is none.
        model, translation_model: models for recognition and translation from now on; empty leaves them as they are.
        tokens: values of _TOKENS, by name.
        order: what the running instance is to do instead, such as "toggle captions"; empty is an ordinary start.
    """

    file: str = ""
    model: str = ""
    translation_model: str = ""
    tokens: dict[str, str] | None = None
    order: str = ""


class SingleStart(QObject):
    """The first instance, at its socket.

    Attributes:
        carry_out: carries out an order, and returns how things are then.

    Signals:
        requested: a Request of another start.
    """

    requested = Signal(object)

    def __init__(self, data_folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.carry_out: Callable[[str], Mapping[str, object]] = lambda order: {}
        self._path = _meeting_place(data_folder)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept_connections)

    def hand_over(self, request: Request) -> bool:
        """Send a request to the running instance and return True; if there is none, become the first one and return
        False.
        """
        with _alone(self._path):
            if _answer_to(self._path, request) == _TAKEN:
                return True
            QLocalServer.removeServer(str(self._path))  # left by an instance that was killed
            self._server.listen(str(self._path))
            return False

    def close(self) -> None:
        """Release the socket, so that another instance can be the first."""
        self._server.close()

    def _accept_connections(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(socket.deleteLater)
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > MOST_BYTES:
            socket.abort()
        elif socket.canReadLine():
            request = _read_request(bytes(socket.readLine().data()))
            if request is None:
                socket.abort()
                return
            socket.write(json.dumps(self.carry_out(request.order)).encode() + b"\n" if request.order else _TAKEN)
            socket.flush()
            if not request.order:
                self.requested.emit(request)


def request_of(file: Path | None, model: str | None, translation_model: str | None) -> Request:
    """Return the request of this start, with an absolute path."""
    tokens = {name: os.environ[name] for name in _TOKENS if name in os.environ}
    return Request(str(file.absolute()) if file is not None else "", model or "", translation_model or "", tokens)


def ask_running(data_folder: Path, order: str) -> Mapping[str, object] | None:
    """Send an order to the running instance; return how things are then, None if there is no instance."""
    answer = _answer_to(_meeting_place(data_folder), Request(order=order))
    try:
        found = json.loads(answer)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def adopt_tokens(request: Request) -> None:
    """Set the environment's tokens to those of a request, for the next window that comes to the front."""
    os.environ.update({name: value for name, value in (request.tokens or {}).items() if name in _TOKENS})


def _read_request(line: bytes) -> Request | None:
    try:
        said = json.loads(line)
        request = Request(**said)
    except (ValueError, TypeError, RecursionError):
        return None
    words = (request.file, request.model, request.translation_model, request.order, *(request.tokens or {}).values())
    return request if all(isinstance(each, str) for each in words) else None


def _answer_to(path: Path, request: Request) -> bytes:
    """Return the line that the running instance answers; nothing if there is none."""
    socket = QLocalSocket()
    socket.connectToServer(str(path))
    if not socket.waitForConnected(PATIENCE_MILLISECONDS):
        return b""
    socket.write(json.dumps(asdict(request)).encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n") and socket.waitForReadyRead(PATIENCE_MILLISECONDS):
        answer += bytes(socket.readAll().data())
    return answer


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock, so that two simultaneous starts ask one after the other."""
    lock = QLockFile(str(path.with_suffix(".lock")))
    lock.tryLock(2 * PATIENCE_MILLISECONDS)
    try:
        yield
    finally:
        lock.unlock()


def _meeting_place(data_folder: Path) -> Path:
    """Return the socket's path: short, as required for sockets, and different for each data folder."""
    name = hashlib.sha256(str(data_folder.resolve()).encode()).hexdigest()[:16]
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    if folder and flatpak_id():
        folder = f"{folder}/app/{flatpak_id()}"
    return Path(folder or QStandardPaths.writableLocation(QStandardPaths.StandardLocation.TempLocation)) / (
        f"earshot-{name}.socket"
    )
