"""The bar above the captions where there is little room."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.sound.audio_devices import InputDevice
from tests.app.scenes import application_in, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
BUILT_IN = InputDevice(0, "built-in", True, "Built-in microphone")


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_source_is_named_in_full_before_buttons_are(qapp: QApplication, tmp_path: Path, language: str) -> None:
    with application_in(qapp, tmp_path, language, size=(800, 600)) as application:
        header = application.captions_page.header
        application.captions_page.show_microphones((BUILT_IN,))
        settle()
        assert header.picker.currentText().endswith("(Built-in microphone)")
        assert header.picker.shown_text == header.picker.currentText()
        assert not header.translation.compact  # it says into which language
        assert header.copy.compact and header.export.compact
        for width in range(640, 800, 10):
            application.window.resize(width, 600)
            settle()
            if not header.translation.compact:
                assert header.picker.shown_text == header.picker.currentText(), width
        assert not header.translation.compact
        header.picker.choose_demo()
        settle()
        assert not header.copy.compact and not header.export.compact  # a short name leaves room for theirs
        application.actions.tuning.setChecked(True)
        settle()
        assert header.copy.compact and header.picker.shown_text == header.picker.currentText()
