"""A hub on this machine, as far as a client that fetches models sees one, which fails when it is told to."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE_FROM_BYTES = 4096
"""Files from this size on are kept apart from git, and named by their SHA-256."""


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it."""

    method: str
    path: str
    range: str | None
    token: str | None


@dataclass
class Faults:
    """Faults of the files of one name, as often as `times` says.

    Attributes:
        status: answered instead of the file.
        cut_after: bytes of the body that come before the connection ends.
        stall_after: bytes that come before nothing more does, until the server ends.
        ignore_range: the whole file is sent where a part was asked for.
        shift_range: bytes by which the part sent begins later than asked for.
        spoil: the bytes that are sent are wrong.
        error_code: Hugging Face's name of the error, as a header.
    """

    times: int = 1
    status: int = 0
    cut_after: int | None = None
    stall_after: int | None = None
    ignore_range: bool = False
    shift_range: int = 0
    spoil: bool = False
    error_code: str = ""
    retry_after: str = ""


@dataclass
class HubServer:
    """Serves repositories from memory: with HubServer({"org/name": {"config.json": b"{}"}}) as hub.

    Attributes:
        faults: by file name, or by "api" for what is asked about a repository.
        redirect: another server's address, to which requests for files are sent on.
        asked: every request, in order.
        paced: called with each piece that is sent, to slow it down or to stop at a place.
    """

    repos: dict[str, dict[str, bytes]]
    faults: dict[str, Faults] = field(default_factory=dict)
    redirect: str = ""
    commit: str = COMMIT
    asked: list[Asked] = field(default_factory=list)
    paced: Callable[[int], None] | None = None
    stalled: threading.Event = field(default_factory=threading.Event)
    ending: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> HubServer:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.hub = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from huggingface_hub import close_session

        self.ending.set()
        close_session()  # connections that are kept alive would outlive the server
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def fetched(self, name: str) -> list[str | None]:
        """Return the ranges that were asked for of a file."""
        return [each.range for each in self.asked if each.method == "GET" and each.path.endswith(f"/{name}")]

    def fault(self, name: str) -> Faults | None:
        """Return what goes wrong with a file this time, if anything."""
        fault = self.faults.get(name)
        if fault is None or fault.times <= 0:
            return None
        fault.times -= 1
        return fault


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    hub: HubServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that hangs up: it is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        hub = self.server.hub
        path = unquote(urlsplit(self.path).path)
        hub.asked.append(Asked(self.command, path, self.headers.get("Range"), self.headers.get("Authorization")))
        about = re.fullmatch(r"/api/models/([^/]+/[^/]+)(/revision/[^/]+)?", path)
        if about:
            self._describe(about[1])
        elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._send_file(found[1], found[2], found[3])
        else:
            self._refuse(404, "RepoNotFound")

    do_HEAD = do_GET

    def _describe(self, repo: str) -> None:
        hub = self.server.hub
        fault = hub.fault("api")
        if fault is not None and fault.status:
            self._refuse(fault.status, fault.error_code, fault.retry_after)
        elif repo not in hub.repos:
            self._refuse(404, "RepoNotFound")
        else:
            siblings = [_sibling(name, data) for name, data in hub.repos[repo].items()]
            self._send_json({"id": repo, "modelId": repo, "sha": hub.commit, "siblings": siblings})

    def _send_file(self, repo: str, commit: str, name: str) -> None:
        hub = self.server.hub
        if hub.redirect:
            self.send_response(302)
            self.send_header("Location", hub.redirect + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if commit != hub.commit or name not in hub.repos.get(repo, {}):
            self._refuse(404, "EntryNotFound")
            return
        fault = hub.fault(name.rpartition("/")[2]) or Faults()
        if fault.status:
            self._refuse(fault.status, fault.error_code, fault.retry_after)
            return
        data = hub.repos[repo][name]
        self._send_bytes(bytes(len(data)) if fault.spoil else data, fault)

    def _send_bytes(self, data: bytes, fault: Faults) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(wanted[1]) if wanted and not fault.ignore_range else 0
        if start >= len(data) > 0:
            self._refuse(416)
            return
        start += fault.shift_range
        part = wanted is not None and not fault.ignore_range
        self.send_response(206 if part else 200)
        if part:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self._send_body(data[start:], fault)

    def _send_body(self, body: bytes, fault: Faults) -> None:
        hub = self.server.hub
        stops = [stop for stop in (fault.cut_after, fault.stall_after) if stop is not None]
        end = min(stops, default=len(body))
        for place in range(0, end, 65536):
            piece = body[place : min(place + 65536, end)]
            self.wfile.write(piece)
            if hub.paced is not None:
                hub.paced(len(piece))
        if fault.stall_after is not None:
            self.wfile.flush()
            hub.stalled.set()
            hub.ending.wait(600)
        if stops:
            self.close_connection = True

    def _send_json(self, record: dict[str, Any], status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> None:
        body = json.dumps(record).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _refuse(self, status: int, code: str = "", retry_after: str = "") -> None:
        named = (("X-Error-Code", code), ("Retry-After", retry_after))
        self._send_json({"error": code}, status, tuple(each for each in named if each[1]))


def _sibling(name: str, data: bytes) -> dict[str, Any]:
    known: dict[str, Any] = {"rfilename": name, "size": len(data), "blobId": git_digest(data)}
    if len(data) >= LARGE_FROM_BYTES:
        known["lfs"] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 134}
    return known


def git_digest(data: bytes) -> str:
    """Return the name that git has for a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
