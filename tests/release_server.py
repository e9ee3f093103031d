"""A server that names releases as GitHub does, and a package that names the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class ReleaseServer(ThreadingHTTPServer):
    """Leads from "/releases/latest" to the page of a tag.

    Attributes:
        tag: the newest release; empty is none.
        asked: the paths and user agents of all requests.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.tag = "v0.2.0"
        self.asked: list[tuple[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/me/earshot/releases"


class _Answer(BaseHTTPRequestHandler):
    server: ReleaseServer

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["User-Agent"]))
        if self.path.endswith("/latest") and self.server.tag:
            self.send_response(302)
            self.send_header("Location", f"{self.server.address}/tag/{self.server.tag}")
        else:
            self.send_response(200 if "/tag/" in self.path else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@contextmanager
def release_server() -> Iterator[ReleaseServer]:
    server = ReleaseServer()
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def write_package(folder: Path, address: str, version: str = "0.1.0") -> Path:
    """Write the metadata of an Earshot that names its releases; the folder, first on a path, hides the real ones."""
    made = folder / f"earshot-{version}.dist-info"
    made.mkdir()
    named = f"Project-URL: Releases, {address}\n" if address else ""
    (made / "METADATA").write_text(f"Metadata-Version: 2.4\nName: earshot\nVersion: {version}\n{named}")
    return folder
