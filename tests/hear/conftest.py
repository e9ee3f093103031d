"""The tiny model that most tests of hearing are about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.hear.whisper.load import HearingModel


@pytest.fixture
def hearing(tiny_model: Callable[..., HearingModel]) -> HearingModel:
    """A tiny Whisper with random weights."""
    return tiny_model(0)
