"""What all tests share: a prepared backend, the shared recordings, small random models."""

from __future__ import annotations

import fcntl
import gc
import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from engine import backend

if TYPE_CHECKING:  # these import MLX, which the backend prepares first
    from engine.models.load import HearingModel

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["LC_ALL"] = "C.UTF-8"  # windows speak English here, wherever the tests run
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ["XDG_CONFIG_HOME"] = "/nowhere/earshot-tests"  # what was measured on this machine shall not matter
backend.prepare()

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_DATA = ROOT.parent / "shared" / "data"

settings.register_profile("earshot", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("earshot")


@pytest.fixture(autouse=True)
def spared_collector(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have the memory collector leave alone, in real time, what a thousand tests before have left to go through."""
    if request.node.get_closest_marker("realtime") is None:
        yield
        return
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Where tests run side by side, let those marked `realtime` run alone, with all they set up: they hear a clock."""
    if not hasattr(item.config, "workerinput"):
        return (yield)
    folder = Path(tempfile.gettempdir()) / f"earshot-tests-{item.config.workerinput['testrunuid']}"
    folder.mkdir(exist_ok=True)
    alone = item.get_closest_marker("realtime") is not None
    with (
        _locked(folder / "turnstile", fcntl.LOCK_EX) as let_others_in,  # held while waiting, or nobody got to run alone
        _locked(folder / "machine", fcntl.LOCK_EX if alone else fcntl.LOCK_SH),
    ):
        let_others_in()
        return (yield)


@contextmanager
def _locked(path: Path, how: int) -> Iterator[Callable[[], None]]:
    """Hold a lock between processes; what is given lets it go early."""
    with path.open("a") as file:
        fcntl.flock(file, how)
        try:
            yield lambda: fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recordings and texts that tests listen to; skips where there is none."""
    folder = Path(os.environ.get("EARSHOT_TEST_DATA", DEFAULT_DATA))
    if not (folder / "speech" / "manifest.jsonl").is_file():
        pytest.skip(f"no test recordings in {folder}; set EARSHOT_TEST_DATA to a folder that has them")
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., HearingModel]:
    """Make and load small Whispers with random weights: tiny_model(seed=0, **dimensions to change)."""
    from engine.models.load import load_hearing_model
    from tests.models.random_whisper import TINY, write_random_model

    made: dict[tuple[int, tuple[tuple[str, int], ...]], HearingModel] = {}

    def make(seed: int = 0, **changes: int) -> HearingModel:
        key = (seed, tuple(sorted(changes.items())))
        if key not in made:
            folder = write_random_model(tmp_path_factory.mktemp("model"), TINY | changes, seed)
            made[key] = load_hearing_model(folder)
        return made[key]

    return make
