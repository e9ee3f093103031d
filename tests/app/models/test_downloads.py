"""Downloads are held, gone on with, given up and failed as a person sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.models.downloads import Downloads
from app.preferences.settings import Settings
from engine.loading.library import library_model
from engine.models.hub import DownloadError, Reason
from tests.app.models.conftest import delete
from tests.models.hub_server import Faults, HubServer


@pytest.fixture
def downloads(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Downloads]:
    monkeypatch.setattr("engine.models.download.PATIENCE_SECONDS", ())
    made = Downloads(settings)
    yield made
    made.shut_down()
    delete(made)


def stalled(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    """Begin a download that comes to a halt."""
    hub.faults["model.safetensors"] = Faults(stall_after=300_000)
    downloads.start("tiny.en")
    qtbot.waitUntil(lambda: hub.stalled.is_set() and library_model("tiny.en").fetched_bytes >= 300_000)


def test_a_download_ends_with_the_model_here(downloads: Downloads, qtbot: QtBot) -> None:
    with qtbot.waitSignal(downloads.finished) as finished:
        downloads.start("tiny.en")
        state = downloads.state("tiny.en")
        assert state is not None and state.phase == "running" and downloads.names == ("tiny.en",)
        downloads.start("tiny.en")
    assert finished.args == ["tiny.en"]
    assert downloads.state("tiny.en") is None and library_model("tiny.en").installed


def test_a_paused_download_goes_on_from_where_it_was(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    stalled(downloads, hub, qtbot)
    downloads.pause("tiny.en")
    state = downloads.state("tiny.en")
    assert state is not None and state.phase == "pausing"
    qtbot.waitUntil(lambda: downloads.state("tiny.en") is None)
    assert library_model("tiny.en").fetched_bytes >= 300_000
    with qtbot.waitSignal(downloads.finished):
        downloads.start("tiny.en")
    assert hub.fetched("model.safetensors") == [None, "bytes=300000-"]


def test_a_cancelled_download_leaves_nothing(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    stalled(downloads, hub, qtbot)
    downloads.cancel("tiny.en")
    qtbot.waitUntil(lambda: downloads.state("tiny.en") is None)
    assert library_model("tiny.en").unfinished_bytes == 0


def test_a_paused_download_can_be_cancelled_too(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    stalled(downloads, hub, qtbot)
    downloads.pause("tiny.en")
    qtbot.waitUntil(lambda: downloads.state("tiny.en") is None)
    with qtbot.waitSignal(downloads.changed):
        downloads.cancel("tiny.en")
    assert library_model("tiny.en").unfinished_bytes == 0


def test_a_failure_stays_in_sight_until_it_is_dismissed(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    hub.faults["api"] = Faults(status=401, error_code="GatedRepo")
    downloads.start("tiny.en")
    qtbot.waitUntil(lambda: (state := downloads.state("tiny.en")) is not None and state.phase == "failed")
    state = downloads.state("tiny.en")
    assert state is not None and isinstance(state.error, DownloadError) and state.error.reason is Reason.LICENCE
    downloads.dismiss("tiny.en")
    assert downloads.state("tiny.en") is None


def test_what_cannot_be_fetched_fails_at_once(downloads: Downloads) -> None:
    downloads.start("nonsense")
    state = downloads.state("nonsense")
    assert state is not None and state.phase == "failed" and "to fetch" in str(state.error)


def test_two_downloads_run_side_by_side(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    stalled(downloads, hub, qtbot)
    with qtbot.waitSignal(downloads.finished) as finished:
        downloads.start("qwen3-0.6b")
    assert finished.args == ["qwen3-0.6b"]
    assert downloads.names == ("tiny.en",)


def test_the_mirror_that_was_chosen_last_is_asked(
    downloads: Downloads, settings: Settings, hub: HubServer, qtbot: QtBot
) -> None:
    with HubServer(hub.repos) as mirror:
        settings.alter(lambda now: replace(now, behaviour=replace(now.behaviour, mirror=mirror.url)))
        with qtbot.waitSignal(downloads.finished):
            downloads.start("tiny.en")
        assert mirror.asked and not hub.asked


def test_the_end_of_the_app_waits_for_no_server(downloads: Downloads, hub: HubServer, qtbot: QtBot) -> None:
    stalled(downloads, hub, qtbot)
    running = [running.thread for running in downloads._running.values()]
    downloads.shut_down()
    assert running and not any(thread.is_alive() for thread in running)
