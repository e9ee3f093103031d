"""Fixtures for tests of global keys: a display and a session bus."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.displays import session_bus, x_display


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with x_display() as name:
        monkeypatch.setenv("DISPLAY", name)
        yield name


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield
