"""Leave to use the microphone: asked for before anything is opened, and waited for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from app.macos import permission
from app.macos.permission import Permission, await_microphone_permission, microphone_permission
from app.sound import audio_devices
from app.sound.audio_devices import MicrophoneUnavailable, microphone_chunks


class FakePerson:
    """The system's question, and who answers it.

    Attributes:
        status: AVAuthorizationStatus.
        asked: how often.
        answer: the next status; None for a person who takes their time.
    """

    def __init__(self, status: int, answer: int | None = None) -> None:
        self.status = status
        self.asked = 0
        self.answer = answer
        self._tell: Callable[[bool], None] | None = None

    def request(self, tell: Callable[[bool], None]) -> None:
        self.asked += 1
        if self.answer is not None:
            self.status = self.answer
            threading.Thread(target=tell, args=(self.status == 3,)).start()


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakePerson]:
    def make(status: int, answer: int | None = None) -> FakePerson:
        person = FakePerson(status, answer)
        monkeypatch.setattr(permission.sys, "platform", "darwin")
        monkeypatch.setattr(permission, "_authorization_status", lambda: person.status)
        monkeypatch.setattr(permission, "_request_access", person.request)
        return person

    return make


@pytest.mark.parametrize(
    ("status", "means"),
    [
        (0, Permission.NOT_ASKED),
        (1, Permission.RESTRICTED),
        (2, Permission.DENIED),
        (3, Permission.GRANTED),
        (9, Permission.UNKNOWN),
    ],
)
def test_every_status_has_its_meaning(mac: Callable[..., FakePerson], status: int, means: Permission) -> None:
    mac(status)
    assert microphone_permission() is means


@pytest.mark.parametrize(("answer", "means"), [(3, Permission.GRANTED), (2, Permission.DENIED)])
def test_a_person_who_was_not_asked_is_asked_once(
    mac: Callable[..., FakePerson], answer: int, means: Permission
) -> None:
    person = mac(0, answer)
    assert await_microphone_permission(threading.Event()) is means
    assert await_microphone_permission(threading.Event()) is means
    assert person.asked == 1


def test_who_stops_meanwhile_does_not_wait_for_the_answer(mac: Callable[..., FakePerson]) -> None:
    mac(0)
    stop = threading.Event()
    stop.set()
    assert await_microphone_permission(stop) is Permission.NOT_ASKED


def test_nothing_is_opened_before_the_person_has_answered(
    mac: Callable[..., FakePerson], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = mac(0, answer=3)
    opened: list[int] = []

    def portaudio() -> None:
        opened.append(person.status)
        raise MicrophoneUnavailable("there is none")

    monkeypatch.setattr(audio_devices, "_portaudio", portaudio)
    with pytest.raises(MicrophoneUnavailable, match="there is none"):
        next(microphone_chunks(None, threading.Event()))
    assert opened == [3]


@pytest.mark.parametrize(("status", "way"), [(2, "System Settings, Privacy"), (1, "manages this Mac")])
def test_a_no_has_its_way_out_and_opens_nothing(
    mac: Callable[..., FakePerson], monkeypatch: pytest.MonkeyPatch, status: int, way: str
) -> None:
    mac(status)
    monkeypatch.setattr(audio_devices, "_portaudio", lambda: pytest.fail("it was opened"))
    with pytest.raises(MicrophoneUnavailable, match=way):
        next(microphone_chunks(None, threading.Event()))


@pytest.mark.skipif(sys.platform == "darwin", reason="there is a system to ask here")
def test_leave_is_unknown_where_nobody_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await_microphone_permission(threading.Event()) is Permission.UNKNOWN
    monkeypatch.setattr(permission.sys, "platform", "darwin")
    assert await_microphone_permission(threading.Event()) is Permission.UNKNOWN  # no such library here
