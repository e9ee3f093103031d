"""Servers of forty kinds that are no hub: each ends in one clear line or the right files, and a good one mends it."""

from __future__ import annotations

import gzip
import hashlib
import json
import socketserver
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from engine.models import hub
from engine.models.catalogue import cached_repository
from engine.models.download import Download
from engine.models.hub import DownloadError
from engine.models.hub_cache import CachedRepository

REPO = "some/model"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIG = b'{"model_type": "whisper"}'
WEIGHTS = bytes(range(256)) * 1200
FILES = {"config.json": CONFIG, "model.safetensors": WEIGHTS}
LONGEST_LINE = 400

Pieces = Iterator[bytes] | bytes
Answer = Callable[[str, str], Pieces]  # of a request's path and its whole head


def answer(body: bytes = b"", status: str = "200 OK", **headers: object) -> bytes:
    """Make a whole answer; a header that is given as None is left out."""
    fields = {"Content-Length": len(body), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items() if value is not None)]
    return "\r\n".join([*lines, "", ""]).encode() + body


def described(**changed: Any) -> dict[str, Any]:
    """Make what a hub says of the repository, with some of it changed."""
    return {"id": REPO, "modelId": REPO, "sha": COMMIT, "siblings": [sibling(name) for name in FILES]} | changed


def sibling(name: str, **changed: Any) -> dict[str, Any]:
    data = FILES[name]
    lfs = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 134}
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    said = {"rfilename": name, "size": len(data), "blobId": blob}
    return said | ({"lfs": lfs} if name.endswith(".safetensors") else {}) | changed


def said(record: object, **headers: object) -> bytes:
    return answer(json.dumps(record).encode(), Content_Type="application/json", **headers)


def good(path: str, head: str) -> Pieces:
    """Answer as a hub does."""
    if path.startswith("/api/"):
        return said(described())
    return answer(FILES.get(path.rpartition("/")[2], b""))


def hub_that_says(made: Callable[[], Pieces]) -> Answer:
    return lambda path, head: made() if path.startswith("/api/") else good(path, head)


def repository(**changed: Any) -> Answer:
    return hub_that_says(lambda: said(described(**changed)))


def weights_that_are(made: Callable[[], Pieces]) -> Answer:
    return lambda path, head: made() if path.endswith(".safetensors") else good(path, head)


def of_weights(**changed: Any) -> Answer:
    return repository(siblings=[sibling("config.json"), sibling("model.safetensors", **changed)])


def endless(first: bytes, piece: bytes) -> Iterator[bytes]:
    yield first
    while True:
        yield piece


def packed_zeros() -> bytes:
    """Pack 1 GB of spaces into 1 MB, as JSON may have them."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(b" " * 2**20) for _ in range(1024)), packer.flush()])


def to(place: str) -> bytes:
    return answer(status="302 Found", Location=place)


KINDS: dict[str, Answer] = {
    # instead of a hub's answer
    "closes at once": hub_that_says(lambda: b""),
    "is not HTTP": hub_that_says(lambda: b"220 mail.example.org ESMTP\r\n"),
    "wants TLS": hub_that_says(lambda: b"\x15\x03\x01\x00\x02\x02\x28"),
    "never ends its header": hub_that_says(lambda: endless(b"HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n" * 500)),
    "has a header of a megabyte": hub_that_says(lambda: answer(b"{}", X_Long="x" * 2**20)),
    "has zeros in its header": hub_that_says(lambda: b"HTTP/1.1 200 OK\r\nX: \0\0\r\n\r\n{}"),
    "has a status of words": hub_that_says(lambda: b"HTTP/1.1 fine\r\n\r\n{}"),
    "has two lengths": hub_that_says(lambda: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}"),
    "promises more than it sends": hub_that_says(lambda: answer(b'{"id"', Content_Length=10_000)),
    "sends chunks of odd sizes": hub_that_says(
        lambda: answer(b"zz\r\n{}\r\n0\r\n\r\n", Content_Length=None, Transfer_Encoding="chunked")
    ),
    "sends what it calls gzip": hub_that_says(lambda: answer(b"{}" * 40, Content_Encoding="gzip")),
    "sends a gigabyte in a megabyte": hub_that_says(lambda: answer(packed_zeros(), Content_Encoding="gzip")),
    "never ends its answer": hub_that_says(lambda: endless(answer(b'{"id": "', Content_Length=None), b"x" * 65536)),
    "is a page to sign in at": hub_that_says(
        lambda: answer(b"<html>Welcome to our WiFi</html>", Content_Type="text/html")
    ),
    "says nothing": hub_that_says(lambda: answer(status="204 No Content")),
    "sends one to itself for ever": hub_that_says(lambda: to(f"/api/models/{REPO}")),
    "sends one to a file": hub_that_says(lambda: to("file:///etc/passwd")),
    "sends one nowhere": hub_that_says(lambda: to("http://127.0.0.1:1/")),
    "sends one to nonsense": hub_that_says(lambda: to("http://[::bad/%%")),
    "teapot": hub_that_says(lambda: answer(status="418 I'm a teapot")),
    "is not there": hub_that_says(lambda: answer(status="404 Not Found")),
    # a hub's answer that makes no sense
    "says a list": hub_that_says(lambda: said([1, 2])),
    "says null": hub_that_says(lambda: said(None)),
    "says half of it": hub_that_says(lambda: answer(json.dumps(described()).encode()[:100])),
    "says it in Latin-1": hub_that_says(lambda: answer(b'{"id": "\xe4"}')),
    "says it a thousand times deeper": hub_that_says(lambda: answer(b"[" * 100_000 + b"]" * 100_000)),
    "has a number of a million digits": hub_that_says(lambda: answer(b'{"id": ' + b"9" * 10**6 + b"}")),
    "names no files": repository(siblings=None),
    "has files that are numbers": repository(siblings=[1, 2, 3]),
    "names a file by a list": repository(siblings=[sibling("config.json", rfilename=["config.json"])]),
    "has no commit": repository(sha=None),
    "has a commit above its folder": repository(sha="../../../evil"),
    "has a commit of a thousand letters": repository(sha="a" * 1000),
    # digests and sizes that make no sense
    "has no digest": of_weights(lfs=None, blobId=None),
    "has a digest above its folder": of_weights(lfs={"size": 9, "sha256": "../../evil", "pointerSize": 1}),
    "has a digest of a thousand letters": of_weights(lfs={"size": 9, "sha256": "a" * 1000, "pointerSize": 1}),
    "has fewer bytes than none": of_weights(lfs={"size": -5, "sha256": "a" * 64, "pointerSize": 1}),
    "has more bytes than there are": of_weights(lfs={"size": 10**30, "sha256": "a" * 64, "pointerSize": 1}),
    "counts bytes in words": of_weights(lfs={"size": "many", "sha256": "a" * 64, "pointerSize": 1}),
    # files that are not what was said of them
    "sends other weights": weights_that_are(lambda: answer(WEIGHTS[::-1])),
    "sends weights without an end": weights_that_are(lambda: endless(answer(Content_Length=None), WEIGHTS)),
    "sends no weights": weights_that_are(lambda: answer()),
    "sends packed weights": weights_that_are(lambda: answer(gzip.compress(WEIGHTS), Content_Encoding="gzip")),
    "sends a part that was not asked for": weights_that_are(
        lambda: answer(WEIGHTS[7:], "206 Partial Content", Content_Range=f"bytes 7-{len(WEIGHTS) - 1}/{len(WEIGHTS)}")
    ),
    "sends weights from a disk of its own": weights_that_are(lambda: to("file:///etc/passwd")),
}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def server(kind: Answer) -> Iterator[str]:
    """Run a server that answers every request in its way; yield its address."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            head = b""
            while b"\r\n\r\n" not in head and (more := self.request.recv(65536)):
                head += more
            path = head.decode("latin-1").split(" ", 2)[1] if b" " in head else ""
            pieces = kind(path.partition("?")[0], head.decode("latin-1"))
            with suppress(OSError):  # the other side has had enough
                for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                    self.wfile.write(piece)

    with _Server(("127.0.0.1", 0), Handler) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{made.server_address[1]}"
        finally:
            made.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def cache(empty_library: Path) -> Path:
    return empty_library


def fetch(address: str) -> Path:
    return Download(REPO, address, patience_seconds=(), silent_seconds=20.0).run()


def assert_whole(folder: Path) -> None:
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES


def test_there_are_forty_kinds() -> None:
    assert len(KINDS) >= 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_server_costs_one_clear_line_and_no_more(kind: str, cache: Path) -> None:
    outside = {path for path in cache.parent.rglob("*") if cache not in path.parents and path != cache}
    with server(KINDS[kind]) as address:
        try:
            assert_whole(fetch(address))
        except DownloadError as error:
            line = str(error)
            assert "\n" not in line and line.endswith(".") and 20 < len(line) < LONGEST_LINE
            assert cached_repository(REPO) is None
    assert {path for path in cache.parent.rglob("*") if cache not in path.parents and path != cache} == outside
    with server(good) as address:
        assert_whole(fetch(address))
    assert CachedRepository(REPO).plan() is None


def test_an_answer_that_trickles_for_ever_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "ASK_SECONDS", 0.2)
    more = threading.Event()

    def trickle() -> Iterator[bytes]:
        yield answer(b'{"id": "', Content_Length=None)
        while not more.wait(0.05):
            yield b"x"

    with server(hub_that_says(trickle)) as address, pytest.raises(DownloadError, match="does not answer"):
        fetch(address)
    more.set()
