"""A server of language models on a real socket, whose answers are written down, good and bad."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any

Script = Callable[["Exchange"], None]


class Exchange:
    """One request, and the connection on which it is answered.

    Attributes:
        path, body: the path and the JSON of the request.
        hung_up: set once the client has closed the connection.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        with connection.makefile("rb") as reader:
            _, self.path, _ = reader.readline().decode().split(" ", 2)
            headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(reader.readline, b"\r\n"))
            length = int(headers.get("content-length", 0))
            self.body: dict[str, Any] = json.loads(reader.read(length)) if length else {}
        self.hung_up = threading.Event()

    @property
    def question(self) -> str:
        return str(self.body["messages"][-1]["content"])

    def send(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError:
            self.hung_up.set()

    def begin(self, kind: str = "text/event-stream", status: str = "200 OK") -> None:
        self.send(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())

    def say(self, text: str, finish: str | None = None) -> None:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        self.send(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())

    def end(self) -> None:
        self.say("", "stop")
        self.send(b"data: [DONE]\n\n")

    def wait_for_hang_up(self) -> None:
        """Wait until the client closes the connection."""
        self._connection.settimeout(30)
        try:
            while self._connection.recv(100):
                pass
        except OSError:
            pass
        self.hung_up.set()


def saying(*parts: str) -> Script:
    """Return a script that says these parts, and ends."""

    def script(exchange: Exchange) -> None:
        exchange.begin()
        for part in parts:
            exchange.say(part)
        exchange.end()

    return script


class ScriptedServer:
    """Answers every chat by a script, and lists models; a context that listens on a free port of this computer.

    Attributes:
        address: for --assistant-model.
        asked: the chats that were asked for, in order.
    """

    def __init__(self, script: Script, models: Sequence[str] | bytes = ("small",)) -> None:
        self._script = script
        self._models = models
        self.asked: list[Exchange] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> ScriptedServer:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for connections
        self._socket.close()

    def _listed(self) -> bytes:
        if isinstance(self._models, bytes):
            return self._models
        return json.dumps({"data": [{"id": name} for name in self._models]}).encode()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            exchange = Exchange(connection)
            if exchange.path.endswith("/models"):
                exchange.begin("application/json")
                exchange.send(self._listed())
            else:
                self.asked.append(exchange)
                self._script(exchange)
