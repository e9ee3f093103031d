"""The page by plain HTTP: who may read, what is sent, how much of it, and that nothing else can be done."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from pytestqt.qtbot import QtBot

from app.share import page_server
from app.share.page_door import BURST_REQUESTS, Door
from app.share.page_door import Request as Asked
from app.share.page_server import MOST_PER_ADDRESS, PageServer
from app.share.visitor import MOST_WAITING_BYTES
from app.transcript.caption_model import CaptionModel
from tests.app.made_captions import caption, translation
from tests.app.share.page import HERE, Reader, aside, everything, get, say, status_of


def ask(qtbot: QtBot, page: PageServer, request: str) -> str:
    return aside(qtbot, lambda: everything(say(page, request)))


def test_the_page_and_what_it_needs_are_served(qtbot: QtBot, page: PageServer) -> None:
    for path, kind in (("", "text/html"), ("page.css", "text/css"), ("page.js", "text/javascript")):
        answer = ask(qtbot, page, get(page, path))
        head, _, body = answer.partition("\r\n\r\n")
        assert status_of(answer) == 200
        assert f"Content-Type: {kind}" in head
        assert "Content-Security-Policy: default-src 'none'" in head
        assert "Referrer-Policy: no-referrer" in head
        assert f"Content-Length: {len(body.encode())}" in head
    assert not ask(qtbot, page, get(page, method="HEAD")).partition("\r\n\r\n")[2]


def test_the_address_without_its_last_stroke_leads_to_the_page(qtbot: QtBot, page: PageServer) -> None:
    path = urlsplit(page.url).path
    answer = ask(qtbot, page, get(page).replace(f"{path} ", f"{path.rstrip('/')} "))
    assert status_of(answer) == 303
    assert f"Location: {path}\r\n" in answer


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda request: request.replace("Host: 127.0.0.1", "Host: evil.example"), 421),
        (lambda request: request.replace("Host: 127.0.0.1", "Host: localhost"), 421),
        (lambda request: f"{request}\nOrigin: http://evil.example", 403),
        (lambda request: f"{request}\nOrigin: null", 403),
        (lambda request: request.replace("GET", "POST"), 405),
        (lambda request: request.replace("GET /", "GET /x"), 404),
        (lambda request: request.replace("captions HTTP", "../secrets HTTP"), 404),
        (lambda request: request.replace("captions HTTP", "page.html HTTP"), 404),
        (lambda request: request.replace("Host:", "Hast:"), 400),
        (lambda request: "nonsense", 400),
        (lambda request: f"{request}\nX-Long: {'a' * 20_000}", 400),
    ],
)
def test_whoever_does_not_ask_as_the_page_does_learns_nothing(
    qtbot: QtBot, model: CaptionModel, page: PageServer, change: object, status: int
) -> None:
    model.show(caption(1, "This is a secret.", final=True))
    answer = ask(qtbot, page, change(get(page, "captions")))  # type: ignore[operator]
    assert status_of(answer) == status
    assert "secret" not in answer


def test_every_opening_has_another_token_that_nobody_guesses(model: CaptionModel) -> None:
    page = PageServer(model)
    tokens = set()
    for _ in range(5):
        assert page.open(HERE) == ""
        tokens.add(urlsplit(page.url).path)
    page.close()
    assert len(tokens) == 5
    assert all(len(each) == 22 for each in tokens)  # a hundred bits between two strokes
    assert page.url == ""


def test_captions_come_as_they_are_said_and_a_late_reader_catches_up(
    qtbot: QtBot, model: CaptionModel, page: PageServer
) -> None:
    early = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: page.readers == 1)
    model.show(caption(1, "Good morning,", pending="every"))
    qtbot.waitUntil(lambda: early.lines.get(1, {}).get("open") == " every")
    model.show(caption(1, "Good morning, everyone.", revision=1, final=True))
    model.translate(translation(1, "Guten Morgen zusammen.", final=True))
    qtbot.waitUntil(lambda: "to" in early.lines[1])
    late = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: late.lines == early.lines)
    early.leave()
    qtbot.waitUntil(lambda: page.readers == 1)
    model.show(caption(2, "Let us begin.", start=5, final=True))
    back = aside(qtbot, lambda: Reader(page, after=early.newest))
    qtbot.waitUntil(lambda: 2 in late.lines and 2 in back.lines)
    assert list(back.lines) == [2]  # the first one it has already
    assert page.readers == 2


def test_the_page_tells_its_readers_that_it_is_over_and_listens_no_more(
    qtbot: QtBot, model: CaptionModel, page: PageServer
) -> None:
    reader = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: page.readers == 1)
    model.show(caption(1, "Goodbye.", final=True))
    port = int(urlsplit(page.url).port or 0)
    page.close()
    qtbot.waitUntil(lambda: reader.is_over)
    assert reader.has_ended
    assert reader.lines[1]["said"] == "Goodbye."
    with pytest.raises(OSError):
        socket.create_connection((HERE, port), timeout=5)


def test_a_reader_who_does_not_read_costs_little_and_catches_up(
    qtbot: QtBot, model: CaptionModel, page: PageServer
) -> None:
    slow = aside(qtbot, lambda: say(page, get(page, "captions")))
    qtbot.waitUntil(lambda: page.readers == 1)
    (visitor,) = page._visitors
    text = "word " * 2_000
    for revision in range(2_000):
        model.show(caption(1, f"{revision} {text}", revision=revision))
        page._catch_up()
        if visitor.is_slow:
            break
    assert visitor.is_slow
    for more in range(revision, revision + 50):
        model.show(caption(1, f"{more} {text}", revision=more))
        page._catch_up()
    assert visitor._socket.bytesToWrite() < MOST_WAITING_BYTES + 3 * len(text)
    model.show(caption(2, "The end.", start=900, revision=9_999, final=True))

    def read_all() -> bool:
        received = b""
        while b"The end." not in received[-1_000:]:
            received += slow.recv(1 << 20)
        return True

    assert aside(qtbot, read_all)
    slow.close()


def test_one_address_has_only_so_many_connections(qtbot: QtBot, page: PageServer) -> None:
    place = HERE, int(urlsplit(page.url).port or 0)
    held = aside(qtbot, lambda: [socket.create_connection(place, timeout=60) for _ in range(MOST_PER_ADDRESS)])
    qtbot.waitUntil(lambda: len(page._visitors) == MOST_PER_ADDRESS)
    assert ask(qtbot, page, get(page)) == ""
    for each in held:
        each.close()
    qtbot.waitUntil(lambda: not page._visitors)
    assert status_of(ask(qtbot, page, get(page))) == 200


def test_there_are_only_so_many_readers(qtbot: QtBot, page: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_server, "MOST_READERS", 1)
    reader = aside(qtbot, lambda: Reader(page))
    qtbot.waitUntil(lambda: page.readers == 1)
    answer = ask(qtbot, page, get(page, "captions"))
    assert status_of(answer) == 503
    assert "Retry-After: 10" in answer
    reader.leave()


def test_requests_are_limited_and_guesses_are_dear() -> None:
    now = 0.0
    door = Door("10.0.0.1:80", "token", lambda: now)

    def tried(target: str, address: str = "10.0.0.9") -> int:
        return int(door.check(Asked("GET", target, {"host": "10.0.0.1:80"}), address)[0])

    assert [tried("/token/") for _ in range(int(BURST_REQUESTS) + 1)] == [200] * int(BURST_REQUESTS) + [429]
    assert tried("/token/", "10.0.0.10") == 200
    now += 1.0
    assert [tried("/token/") for _ in range(3)] == [200, 200, 429]
    now += 100.0
    answers = [tried(f"/{guess}/") for guess in range(20)]
    assert answers.count(404) < 6
    assert answers[-1] == 429
    assert tried("/token/") == 429  # even the right address is refused now


def test_an_address_that_is_not_here_is_told(model: CaptionModel) -> None:
    page = PageServer(model)
    assert page.open("192.0.2.1")
    assert page.url == ""


def test_a_request_that_never_comes_is_not_waited_for(
    qtbot: QtBot, model: CaptionModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.share import visitor

    monkeypatch.setattr(visitor, "REQUEST_MILLISECONDS", 50)
    page = PageServer(model)
    page.open(HERE)
    assert ask(qtbot, page, "GET /")[:12] in ("", "HTTP/1.1 400")
    held = aside(qtbot, lambda: socket.create_connection((HERE, int(urlsplit(page.url).port or 0)), timeout=60))
    assert aside(qtbot, lambda: everything(held)) == ""
    page.close()
