"""The profiler in the panel: what it measured is shown, and can be used."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.preferences.preferences import Threads
from app.preferences.settings import Settings
from app.terminal.commands.profile import _as_record
from app.terminal.screen import progress
from app.tuning.measured_ways import ThreadSetting, read_measured_settings
from app.tuning.panel import TuningPanel
from app.tuning.profile_box import ProfileBox
from engine.errors import EngineError
from engine.machine.threads import ThreadAllocation
from engine.process.profiling import Setting, SettingCost
from tests.app.tuning.conftest import Script

ONE = ThreadAllocation()
MEASURED = [
    SettingCost(Setting(ONE, False), 0.74, 0.2, 9),
    SettingCost(Setting(ONE, True), 0.61, 0.3, 9),
]
PRINTED = json.dumps(_as_record("tiny", MEASURED, MEASURED[1], "/threads.json"))


@pytest.fixture
def box(panel: TuningPanel) -> ProfileBox:
    panel.pages.setCurrentWidget(panel.pages.threads)
    return panel.pages.threads.profile


def profile(box: ProfileBox, script: Script, qtbot: QtBot) -> None:
    script(f"print({PRINTED!r})")
    with qtbot.waitSignal(box.run.ended):
        box.start.click()


def test_what_the_command_prints_is_read() -> None:
    measured = read_measured_settings(PRINTED)
    assert measured.settings == (ThreadSetting(1, 1, False, 0.74, 0.2), ThreadSetting(1, 1, True, 0.61, 0.3))
    assert measured.best == measured.settings[1]


def test_ways_in_which_no_word_was_heard_are_compared_by_their_rounds() -> None:
    silent = [SettingCost(Setting(ONE, False), None, 0.2, 9)]
    way = read_measured_settings(json.dumps(_as_record("tiny", silent, silent[0], None))).best
    assert (way.delay_seconds, way.cost_seconds) == (None, 0.2)


def test_progress_is_a_line_each_where_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as tell:
        tell("1 of 2: C1:G1")
    with progress(always=True) as tell:
        tell("2 of 2: C1:G2")
    assert capsys.readouterr().err == "2 of 2: C1:G2\n"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"allocations": [], "best": {}}', '{"allocations": 3}'])
def test_anything_else_is_a_sentence(text: str) -> None:
    with pytest.raises(EngineError, match="no result that can be read"):
        read_measured_settings(text)


def test_progress_is_shown_and_it_can_be_cancelled(box: ProfileBox, script: Script, qtbot: QtBot) -> None:
    script("sys.stderr.write('3 of 5: C1:G1\\n'); sys.stderr.flush()\nwhile True: time.sleep(9)")
    with qtbot.waitSignal(box.run.progressed):
        box.start.click()
    assert box.cancel.isVisible() and box.cancel.hasFocus() and not box.start.isVisible()
    assert (box._progress.value(), box._progress.maximum()) == (3, 5)
    assert "3 of 5" in box._state.text()
    box.cancel.click()
    assert not box.run.is_running
    assert box.start.isVisible() and box.start.hasFocus() and not box._progress.isVisible()


def test_the_result_is_bars_of_which_the_best_is_picked(box: ProfileBox, script: Script, qtbot: QtBot) -> None:
    assert not box.bars.isVisible()
    with qtbot.waitSignal(box.profiled):
        profile(box, script, qtbot)
    assert [bar.way.pipeline for bar in box.bars.bars] == [False, True]
    assert box.bars.way == read_measured_settings(PRINTED).best
    assert "the best" in box.bars.bars[1].accessibleDescription()
    assert "0.74 s" in box.bars.bars[0].accessibleDescription()
    assert box.bars.isVisible() and not box.use.isEnabled()  # automatic uses it already


def test_another_bar_is_picked_by_key_and_used(
    box: ProfileBox, script: Script, settings: Settings, qtbot: QtBot
) -> None:
    profile(box, script, qtbot)
    box.bars.bars[1].setFocus()
    qtbot.keyClick(box.bars.bars[1], Qt.Key.Key_Up)
    assert box.bars.way == ThreadSetting(1, 1, False, 0.74, 0.2)
    box.use.click()
    assert settings.preferences.threads == Threads(False, 1, 1)
    assert settings.preferences.captions.pipeline is False
    assert not box.use.isEnabled()
    box.bars.bars[1].click()
    box.use.click()
    assert settings.preferences.threads == Threads()
    assert settings.preferences.captions.pipeline is None


def test_measuring_again_replaces_the_bars(box: ProfileBox, script: Script, qtbot: QtBot) -> None:
    profile(box, script, qtbot)
    profile(box, script, qtbot)
    assert len(box.bars.bars) == 2
    assert box.bars.way == read_measured_settings(PRINTED).best


def test_a_failure_is_its_sentence(box: ProfileBox, script: Script, qtbot: QtBot) -> None:
    script("sys.stderr.write('earshot: The model is damaged. Get it again.\\n'); sys.exit(1)")
    with qtbot.waitSignal(box.run.failed):
        box.start.click()
    assert box._state.text() == "The model is damaged. Get it again."
    assert box.start.isVisible() and not box.bars.isVisible()


def test_the_model_that_hears_is_profiled_and_quickly_where_asked(
    box: ProfileBox, script: Script, settings: Settings, qtbot: QtBot
) -> None:
    script("sys.stderr.write(f'{sys.argv[1:]}\\n'); sys.exit(1)")
    box.quick.click()
    with qtbot.waitSignal(box.run.failed):
        box.start.click()
    assert box._state.text() == str(["profile", "--json", "--progress", "--model", "starter", "--quick"])


def test_nothing_is_measured_while_captions_are_made(panel: TuningPanel, box: ProfileBox) -> None:
    panel.set_recording(True)
    assert not box.start.isEnabled() and "End the captions" in box.start.toolTip()
    panel.set_recording(False)
    assert box.start.isEnabled()
