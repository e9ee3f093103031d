"""A page that is open on this computer alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.share.page_server import PageServer
from app.transcript.caption_model import CaptionModel
from tests.app.share.page import HERE


@pytest.fixture
def model(qapp: QApplication) -> CaptionModel:
    return CaptionModel()


@pytest.fixture
def page(model: CaptionModel) -> Iterator[PageServer]:
    made = PageServer(model)
    assert made.open(HERE) == ""
    yield made
    made.close()
