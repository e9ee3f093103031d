"""Sound devices are looked for beside the window, however long that takes."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from app.sound import audio_devices
from app.sound.device_search import DeviceSearch


def test_a_search_that_outlives_the_app_tells_nobody(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    searching, may_end = threading.Event(), threading.Event()

    def find() -> tuple[object, ...]:
        searching.set()
        assert may_end.wait(120)
        return ()

    monkeypatch.setattr(audio_devices, "list_input_devices", find)
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    search = DeviceSearch()
    search.start()
    assert searching.wait(120)
    thread = next(each for each in threading.enumerate() if each.name == "device search")
    delete(search)
    may_end.set()
    thread.join(120)
    assert not thread.is_alive()
    assert not raised
