"""An open page on this computer alone, and readers of it in threads, since the page lives in this one."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from pytestqt.qtbot import QtBot

from app.share.page_server import PageServer

Result = TypeVar("Result")
HERE = "127.0.0.1"


def aside(qtbot: QtBot, do: Callable[[], Result]) -> Result:
    """Do something in a thread while the page answers, and return its result."""
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(do()))
    thread.start()
    qtbot.waitUntil(lambda: not thread.is_alive())
    (result,) = results
    return result


def say(page: PageServer, request: str) -> socket.socket:
    """Connect and send these lines; an empty one follows."""
    _, port = urlsplit(page.url).netloc.split(":")
    connection = socket.create_connection((HERE, int(port)), timeout=60)
    connection.sendall(request.replace("\n", "\r\n").encode() + b"\r\n\r\n")
    return connection


def everything(connection: socket.socket) -> str:
    """Read until the other end closes."""
    with connection:
        received = b""
        try:
            while data := connection.recv(65_536):
                received += data
        except ConnectionResetError:
            pass
        return received.decode()


def get(page: PageServer, path: str = "", *headers: str, method: str = "GET") -> str:
    """Return the lines of a request for a file of the page."""
    parts = urlsplit(page.url)
    return "\n".join((f"{method} {parts.path}{path} HTTP/1.1", f"Host: {parts.netloc}", *headers))


def status_of(answer: str) -> int:
    """Return the status of an answer; 0 where there is none."""
    return int(answer.split(" ", 2)[1]) if answer else 0


class Reader:
    """Reads the captions in a thread.

    Attributes:
        lines: the newest state of each line, by its number.
        newest: number of the newest event.
        has_ended: whether the page said that it is over.
        is_over: whether the connection has ended.
    """

    def __init__(self, page: PageServer, after: int = 0) -> None:
        self.lines: dict[int, dict[str, object]] = {}
        self.newest = 0
        self.has_ended = False
        self.is_over = False
        self._connection = say(page, get(page, "captions", f"Last-Event-ID: {after}"))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _read(self) -> None:
        with self._connection, self._connection.makefile(encoding="utf-8") as file:
            try:
                for line in file:
                    name, _, value = line.strip().partition(": ")
                    if name == "id":
                        self.newest = int(value)
                    elif name == "data" and value.startswith("{"):
                        state = json.loads(value)
                        self.lines[state["id"]] = state
                    elif line.strip() == "event: end":
                        self.has_ended = True
            except OSError:
                pass
            self.is_over = True
