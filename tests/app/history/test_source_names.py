"""Names of sources in the history: in the window's language, whichever it was when they were recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.history.source_names import source_in_window_language
from app.look.interface_language import install


@pytest.fixture(autouse=True)
def english_again(qapp: QApplication) -> Iterator[None]:
    yield
    install(qapp, "en")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Default microphone", "Standardmikrofon"),
        ("Microphone and computer", "Mikrofon und Computer"),
        ("What this computer plays: Speakers (2)", "Ton dieses Computers: Speakers (2)"),
        ("lecture.mp3", "lecture.mp3"),
        ("Default microphone of Anna", "Default microphone of Anna"),
    ],
)
def test_a_source_is_named_in_the_window_s_language(english: str, german: str, qapp: QApplication) -> None:
    for language, wanted in (("de", german), ("en", english)):
        install(qapp, language)
        assert {source_in_window_language(each) for each in (english, german)} == {wanted}
