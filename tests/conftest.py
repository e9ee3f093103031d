"""Fixtures that all tests share: a prepared backend, recordings, small random models."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache, partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.qt_application import QtApplication
from engine.machine import backend

if TYPE_CHECKING:  # these import MLX, which the backend prepares first
    from engine.hear.whisper.load import HearingModel

# Without kept bytecode each of the hundreds of processes that tests start would compile all its imports again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The threads of a matrix product in NumPy or torch spin while they wait for one another, which is long where others
# compute.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["LC_ALL"] = "C.UTF-8"  # windows speak English here, wherever the tests run
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["XDG_CONFIG_HOME"] = "/nowhere/earshot-tests"  # what was measured on this machine shall not matter
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts what it runs in the background like this
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # nohup has it ignored, and what the tests start would ignore it, too
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
backend.prepare()

ROOT = Path(__file__).resolve().parents[1]
TEST_DATA = Path(os.environ.get("EARSHOT_TEST_DATA", ROOT.parent / "shared" / "data"))

settings.register_profile("earshot", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("earshot")

PATIENCE = 120_000  # milliseconds
GIVES_WAY = pytest.StashKey[bool]()


@cache
def listens_to_a_clock(file: str) -> bool:
    """Return whether any test in a file, named as in a test's id, is marked `realtime`."""
    return "mark.realtime" in (ROOT / file).read_text(encoding="utf-8")


def file_of(nodeid: str) -> str:
    return nodeid.split("::")[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the tests that listen to a clock, if tests run side by side."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not listens_to_a_clock(file_of(item.nodeid)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Assign the tests that listen to a clock to one process, and all others file by file to whichever is free."""
    from xdist.scheduler import LoadFileScheduling

    class OneListens(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = file_of(nodeid)
            return "realtime" if listens_to_a_clock(file) else file

    config.option.loadscopereorder = False  # else files with few tests, which take long, come last
    return OneListens(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Let every process, with all it starts, give way to the one whose tests listen to a clock."""
    stash = item.config.stash
    if hasattr(item.config, "workerinput") and GIVES_WAY not in stash:
        stash[GIVES_WAY] = not listens_to_a_clock(file_of(item.nodeid))
        if stash[GIVES_WAY]:
            os.nice(10)


def pytest_collection_finish() -> None:
    """Exempt the thousands of tests and all they import from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def spared_collector(request: pytest.FixtureRequest) -> None:
    """Spare a test in real time from collecting what earlier tests have left behind."""
    if request.node.get_closest_marker("realtime") is not None:
        gc.collect()
        gc.freeze()


class PatientBot(QtBot):
    """Waits for what a window is to do as long as a busy machine may take, which is seldom the 5 s of pytest-qt."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE)
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE)
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE)
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE)
    waitActive = partialmethod(QtBot.waitActive, timeout=PATIENCE)


@pytest.fixture(scope="session")
def qapp_cls() -> type[QtApplication]:
    return QtApplication


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(scope="session", autouse=True)
def no_test_data() -> Iterator[None]:
    """Hide the recordings beside the checkout, which a newcomer lacks, from all tests without `shared_data`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EARSHOT_TEST_DATA", "/nowhere/earshot-tests")
        yield


@pytest.fixture
def shared_data(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let benches find the folder of many recordings, and return it; skip where there is none."""
    if not (TEST_DATA / "speech" / "manifest.jsonl").is_file():
        pytest.skip(f"no test recordings in {TEST_DATA}; set EARSHOT_TEST_DATA to a folder that has them")
    monkeypatch.setenv("EARSHOT_TEST_DATA", str(TEST_DATA))
    return TEST_DATA


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., HearingModel]:
    """Make and load small Whispers with random weights: tiny_model(seed=0, **dimensions to change)."""
    from engine.hear.whisper.load import load_hearing_model
    from tests.random_whisper import TINY, write_random_model

    made: dict[tuple[int, tuple[tuple[str, int], ...]], HearingModel] = {}

    def make(seed: int = 0, **changes: int) -> HearingModel:
        key = (seed, tuple(sorted(changes.items())))
        if key not in made:
            folder = write_random_model(tmp_path_factory.mktemp("model"), TINY | changes, seed)
            made[key] = load_hearing_model(folder)
        return made[key]

    return make
