"""A setting has the same name, words and range wherever it can be chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.captions.page.translation_panel import TranslationPanel
from app.look.theme import Theme
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.dialog import SettingsDialog
from app.tuning.panel import TuningPanel
from app.widgets.editors import Editors
from app.widgets.rows import ChoiceRow, NumberRow, Row, SliderRow

Seen = tuple[type[Row], str, object]


def seen(row: Row) -> Seen:
    """Return what a person meets: the kind of control, name and explanation, and what can be chosen."""
    choice: object = None
    if isinstance(row, SliderRow):
        choice = row.scale, [row._wording(row.scale.value(place)) for place in range(row.scale.places + 1)]
    elif isinstance(row, ChoiceRow):
        choice = tuple(row._options)
    elif isinstance(row, NumberRow):
        choice = row.control.minimum(), row.control.maximum()
    return type(row), row.words, choice


def test_a_setting_that_stands_in_several_places_is_the_same_in_all(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    settings = Settings(PreferencesFile(tmp_path))
    theme = Theme(qapp)
    dialog = SettingsDialog(settings, theme, Surroundings(tmp_path))
    tuning = TuningPanel(settings, theme)
    panel = TranslationPanel(settings)
    for made in (dialog, tuning, panel):
        qtbot.addWidget(made)
    places: list[QWidget] = [*dialog.pages, tuning.pages, panel]
    editors: dict[str, list[Seen]] = {}
    for place in places:
        for row in place.findChildren(Row):
            editors.setdefault(row.path, []).append(seen(row))
    several = {path: all_of_it for path, all_of_it in editors.items() if len(all_of_it) > 1}
    assert len(several) == 13
    for path, (first, *others) in several.items():
        assert others == [first] * len(others), path
    dialog.shut_down()
    tuning.shut_down()
    settings.settle()


@pytest.mark.parametrize("reuse", ["none", "prune", "verify"])
def test_several_tokens_at_once_go_with_no_pruning_wherever_they_are_chosen(
    reuse: str, qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    settings = Settings(PreferencesFile(tmp_path))
    settings.change(with_value(Preferences(), "captions.decode.reuse", reuse))
    (editor,) = (each for each in Editors().hearing() if each.path == "captions.decode.decoder")
    for row in (editor.row(settings), editor.stacked(settings)):
        qtbot.addWidget(row)
        settings.alter(lambda now: with_value(now, "captions.decode.decoder", "beam"))
        row.put("multitoken")
        assert value_at(settings.preferences, "captions.decode.decoder") == "multitoken"
        assert value_at(settings.preferences, "captions.decode.reuse") == ("verify" if reuse == "prune" else reuse)
    settings.settle()
