"""The check for a newer version, by a server on this machine that answers as GitHub does."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.preferences.releases import ReleaseError, newest_release, releases_address
from tests.release_server import ReleaseServer, release_server, write_package

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server() -> Iterator[ReleaseServer]:
    with release_server() as made:
        yield made


@pytest.fixture
def package(server: ReleaseServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_package(tmp_path, server.address)))


@pytest.mark.parametrize(
    "tag, number, is_newer",
    [("v0.2.0", "0.2.0", True), ("v0.1.0", "0.1.0", False), ("0.0.9", "0.0.9", False), ("v0.10", "0.10", True)],
)
def test_the_newest_release_is_compared_with_this_one(
    server: ReleaseServer, package: None, tag: str, number: str, is_newer: bool
) -> None:
    server.tag = tag
    found = newest_release()
    assert (found.version, found.is_newer) == (number, is_newer)
    assert found.address == f"{server.address}/tag/{tag}"


def test_one_page_is_asked_for_and_nothing_is_told(server: ReleaseServer, package: None) -> None:
    newest_release()
    paths, agents = zip(*server.asked, strict=True)
    assert paths == ("/me/earshot/releases/latest", "/me/earshot/releases/tag/v0.2.0")
    assert set(agents) == {"Earshot"}


@pytest.mark.parametrize("tag, said", [("", "no release (404)"), ("nightly", "something else than a release")])
def test_other_answers_are_told(server: ReleaseServer, package: None, tag: str, said: str) -> None:
    server.tag = tag
    with pytest.raises(ReleaseError) as caught:
        newest_release()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "address, said",
    [
        ("http://127.0.0.1:1/releases", "127.0.0.1:1 does not answer. Is this computer connected?"),
        ("file:///etc", "which is no address"),
        ("", "does not say where its releases are"),
    ],
)
def test_what_cannot_be_asked_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, said: str) -> None:
    monkeypatch.syspath_prepend(str(write_package(tmp_path, address)))
    assert releases_address() == address
    with pytest.raises(ReleaseError) as caught:
        newest_release()
    assert said in str(caught.value)


def test_an_answer_that_is_no_http_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.syspath_prepend(str(write_package(tmp_path, address)))

        def answer() -> None:
            visitor, _ = server.accept()
            with visitor:
                visitor.recv(4096)
                visitor.sendall(b"Log in first.\r\n")

        portal = threading.Thread(target=answer)
        portal.start()
        with pytest.raises(ReleaseError, match="does not answer"):
            newest_release()
        portal.join()


def doctor(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(folder), str(ROOT)))
    command = [sys.executable, "-P", "-m", "app", "doctor", "--newer", *words]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)


def test_the_doctor_tells_it(server: ReleaseServer, tmp_path: Path) -> None:
    write_package(tmp_path, server.address)
    done = doctor(tmp_path)
    assert done.stdout == f"Earshot 0.2.0 is there; this is 0.1.0. See {server.address}/tag/v0.2.0\n"
    assert json.loads(doctor(tmp_path, "--json").stdout)["is_newer"]
    server.tag = "v0.1.0"
    assert doctor(tmp_path).stdout == "This is the newest Earshot, 0.1.0.\n"
    server.tag = ""
    done = doctor(tmp_path)
    assert done.returncode == 1 and "no release (404)" in done.stderr and not done.stdout
