"""Requests to a server, and the text of its answer while it is written.

HTTP is the standard library's: one request, whose answer comes line by line, and which ends when its connection is
closed. It follows no redirection to another host and asks no proxy, so that nothing goes where nobody sent it.
"""

from __future__ import annotations

import json
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Literal

from engine.errors import ModelError
from engine.language.servers.address import ServerAddress

CONNECT_SECONDS = 5.0
"""Longest wait for a connection."""

FIRST_SECONDS = 120.0
"""Longest wait for the beginning of an answer: a server may have to load its model first."""

SILENT_SECONDS = 30.0
"""Longest pause within an answer."""

MOST_SECONDS = 600.0
"""Longest answer, in seconds."""

MOST_BYTES = 4_000_000
"""Longest answer of a server, and longest line of it, in bytes."""

QUOTED_CHARACTERS = 160
"""Most characters of a server's own words in a message."""

Ended = Literal["end", "limit"]
_LIMIT = "length"  # what a server calls the end by the most tokens


class NoListError(ModelError):
    """A server that names no models; it may have one all the same."""


def models_of(address: ServerAddress, seconds: float = CONNECT_SECONDS) -> tuple[str, ...]:
    """Return the models that a server names, possibly none.

    Raises:
        NoListError: something answers, but with no list of models.
        ModelError: nothing answers.
    """
    connection = _connect(address, seconds)
    try:
        connection.request("GET", f"{address.path}/models", headers={"Accept": "application/json"})
        with closing(connection.getresponse()) as response:
            if response.status != HTTPStatus.OK:
                raise ValueError
            named = json.loads(response.read(MOST_BYTES))["data"]
        return tuple(str(model["id"]) for model in named)
    except (HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
        raise NoListError(_strange(address)) from error
    except OSError as error:
        raise ModelError(_failure(error, address)) from error
    finally:
        connection.close()


@dataclass(frozen=True, slots=True)
class _End:
    """The end of an answer: how it came to it, or what failed."""

    how: Ended = "end"
    error: ModelError | None = None


class ServedAnswer:
    """An answer that a server is writing; a thread of its own reads it.

    Attributes:
        text: what has come so far.
        ended: how it ended; None while it goes on.
    """

    def __init__(self, address: ServerAddress, body: Mapping[str, Any]) -> None:
        """Send a request; nothing is waited for here."""
        self.text = ""
        self.ended: Ended | None = None
        self._address = address
        self._body = json.dumps({**body, "stream": True}).encode()
        self._parts: queue.SimpleQueue[str | _End] = queue.SimpleQueue()
        self._connection = _connect(address, CONNECT_SECONDS)
        self._sock: socket.socket | None = None  # the connection's own is gone once an answer begins
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="answer of a server", daemon=True).start()

    def read(self, wait_seconds: float) -> bool:
        """Receive all that has come, or wait a moment for more; return whether there was any.

        Raises ModelError if the server failed.
        """
        came = False
        while self.ended is None:
            try:
                part = self._parts.get_nowait() if came else self._parts.get(timeout=wait_seconds)
            except queue.Empty:
                break
            came = True
            if isinstance(part, str):
                self.text += part
            elif part.error is not None:
                raise part.error
            else:
                self.ended = part.how
        return came

    def close(self) -> None:
        """End the request, so that the server need not write on."""
        self._closed.set()
        if self._sock is not None:
            with suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads

    def _run(self) -> None:
        try:
            self._parts.put(_End(self._receive()))
        except ModelError as error:
            self._parts.put(_End(error=error))
        except OSError as error:
            self._parts.put(_End(error=ModelError(_failure(error, self._address))))
        except (HTTPException, ValueError):
            self._parts.put(_End(error=ModelError(_strange(self._address))))
        finally:
            self._connection.close()

    def _receive(self) -> Ended:
        connection, address = self._connection, self._address
        connection.connect()
        sock = self._sock = connection.sock
        if self._closed.is_set():  # before there was anything to hang up
            return "end"
        sock.settimeout(FIRST_SECONDS)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        connection.request("POST", f"{address.path}/chat/completions", self._body, headers)
        with closing(connection.getresponse()) as response:
            return self._read_from(response, sock)

    def _read_from(self, response: HTTPResponse, sock: socket.socket) -> Ended:
        address = self._address
        _check(response, address)
        if "json" in response.headers.get_content_type():  # a server that does not stream
            return self._take(_parsed(response.read(MOST_BYTES), address)) or "end"
        how: Ended | None = None
        for event in _events(response, address, time.monotonic() + MOST_SECONDS):
            how = self._take(event) or how
            sock.settimeout(SILENT_SECONDS)
        if how is None and not self._closed.is_set():
            raise ModelError(f"The answer of {address.origin} was cut off before its end. Ask again.")
        return how or "end"

    def _take(self, event: Any) -> Ended | None:
        """Pass on the text of a part of the answer; return how it ends, if it does."""
        try:
            if (problem := event.get("error")) is not None:
                raise ModelError(f"{self._address.origin} cannot answer{_quoted(problem)}.")
            if not event["choices"]:  # figures about the answer
                return None
            choice = event["choices"][0]
            said = (choice.get("delta") or choice.get("message") or {}).get("content")
        except (AttributeError, LookupError, TypeError) as error:
            raise ModelError(_strange(self._address)) from error
        if isinstance(said, str) and said:
            self._parts.put(said)
        how = choice.get("finish_reason")
        return None if how is None else "limit" if how == _LIMIT else "end"


def _events(response: HTTPResponse, address: ServerAddress, until: float) -> Iterator[Any]:
    """Yield the data of server-sent events, up to the one that says that it was the last."""
    left = MOST_BYTES
    while line := response.readline(MOST_BYTES):
        left -= len(line)
        if left < 0 or time.monotonic() > until:
            raise ModelError(f"The answer of {address.origin} did not end, and was stopped.")
        name, _, data = line.strip().partition(b":")
        if name != b"data":  # an empty line, a comment that keeps the connection open, or the event's name
            if name and name not in (b"event", b"id", b"retry"):
                raise ModelError(_strange(address))
            continue
        if data.strip() == b"[DONE]":
            return
        yield _parsed(data, address)


def _parsed(data: bytes, address: ServerAddress) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ModelError(_strange(address)) from error


def _connect(address: ServerAddress, seconds: float) -> HTTPConnection:
    if address.secure:
        context = ssl.create_default_context()
        return HTTPSConnection(address.host, address.port, timeout=seconds, context=context)
    return HTTPConnection(address.host, address.port, timeout=seconds)


def _check(response: HTTPResponse, address: ServerAddress) -> None:
    """Raise ModelError unless a request was accepted."""
    if response.status == HTTPStatus.OK:
        return
    said = response.read(MOST_BYTES)
    try:
        problem = json.loads(said)
        problem = problem.get("error", problem) if isinstance(problem, dict) else problem
    except (ValueError, RecursionError):
        problem = said.decode("utf-8", "replace")
    status = response.status
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise ModelError(f"{address.origin} asks for a key, and Earshot has none. Use a server without one.")
    if status == HTTPStatus.NOT_FOUND and not address.model:
        raise ModelError(_strange(address))
    raise ModelError(f"{address.origin} refuses to answer, with {status}{_quoted(problem)}.")


def _quoted(problem: Any) -> str:
    """Return a server's own words about a problem, in brackets; "" if there are none."""
    words = problem.get("message", "") if isinstance(problem, dict) else problem
    said = " ".join(str(words).split()).rstrip(".")[:QUOTED_CHARACTERS]
    return f" (“{said}”)" if said and not said.startswith("<") else ""


def _failure(error: OSError, address: ServerAddress) -> str:
    if isinstance(error, ConnectionRefusedError):
        return f"No server answers at {address.origin}. Start it, or choose another model."
    if isinstance(error, TimeoutError):
        return f"{address.origin} did not answer in time. It may be busy, or its model too large for this computer."
    if isinstance(error, socket.gaierror):
        return f"There is no computer called {address.host!r}. Look whether the address is right."
    if isinstance(error, ssl.SSLError):
        return f"{address.origin} cannot be trusted: {error.reason}."
    return f"The connection to {address.origin} broke off ({error.strerror or 'nothing came'}). Ask again."


def _strange(address: ServerAddress) -> str:
    return (
        f"{address.origin} answers, but not as a server of language models. Look whether the address is right; the "
        "interface has to be OpenAI's, which Ollama, LM Studio and llama.cpp have."
    )
