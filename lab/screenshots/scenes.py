"""Every view, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QScrollArea, QWidget

from app.models.uses import Use
from app.settings.session_start import SessionStartRow
from app.silence.microphone_test import MicrophoneTest
from app.silence.silence import Cause, Finding
from app.window.shortcut_list import ShortcutList
from lab.screenshots import content
from lab.screenshots.studio import HERE, Studio

Scene = Callable[[Studio], None]
NARROW = QSize(720, 560)
BELOW_PIXELS = 330
"""Height that is visible below the switch that starts Earshot with the session."""

SETTINGS_PAGES = ("general", "captions", "translation", "overlay", "assistant", "sound", "history", "privacy")


def take_all(studio: Studio) -> Iterator[str]:
    """Picture every scene, and yield the name of each before it is played."""
    for scene in SCENES:
        yield scene.__name__
        scene(studio)


def welcome(studio: Studio) -> None:
    """Picture the first run, step by step."""
    dialog = studio.app.dialogs.open_welcome()
    for step in range(4):
        if step == 1:
            _show_sound(studio, dialog)
        studio.take(f"welcome-{step + 1}", dialog)
        if step < 3:
            dialog.next.click()
    dialog.accept()


def captions(studio: Studio) -> None:
    """Picture captions before and during a recording, in the window and above a film."""
    app = studio.app
    studio.load_models()
    studio.take("captions-empty")
    app.desktop.meetings.offered.emit("Firefox")
    studio.take("meeting")
    app.desktop.meetings.withdrawn.emit("Firefox")
    studio.alter(lambda now: replace(now, overlay=replace(now.overlay, shown=True)))
    studio.say_demo()
    studio.settle(seconds=0.4)
    studio.take_overlay("overlay")
    app.desktop.overlay.take_focus()
    studio.take_overlay("overlay-focused")
    studio.alter(lambda now: replace(now, overlay=replace(now.overlay, shown=False)))
    studio.take("captions")
    app.captions_page.translation.open_below(app.captions_page.header.translation)
    studio.take("translation-panel", app.captions_page.translation.panel)
    app.captions_page.translation.panel.more.click()
    studio.take("translation-panel-more", app.captions_page.translation.panel)
    app.captions_page.translation.panel.hide()
    _narrow(studio, "captions-narrow")


def reading_along(studio: Studio) -> None:
    """Picture the page for others to read: its line in the window, on a phone, and its address."""
    studio.take_phone("phone")
    page = studio.app.sharing.page
    page.open(HERE)
    studio.take("captions-shared")
    dialog = studio.app.dialogs.open_sharing()
    studio.take("share", dialog)
    dialog.close()
    page.close()


def tuning(studio: Studio) -> None:
    """Picture the panel beside the captions, part by part, with its charts drawn."""
    app = studio.app
    app.actions.tuning.setChecked(True)
    pages = app.tuning.pages
    studio.measure()
    for page, name in (
        (pages.hearing, "hearing"),
        (pages.translation, "translation"),
        (pages.assistant, "assistant"),
        (pages.threads, "threads"),
    ):
        pages.setCurrentWidget(page)
        studio.settle(seconds=0.6)
        studio.take(f"tuning-{name}")
    studio.finish_captions()
    studio.profile()
    studio.take("tuning-profile")
    pages.setCurrentWidget(pages.hearing)
    dialog = studio.compare()
    studio.take("comparison", dialog)
    dialog.close()
    app.actions.tuning.setChecked(False)
    studio.take("captions-finished")


def export(studio: Studio) -> None:
    """Show how captions are exported."""
    dialog = studio.app.captions_page.ask_for_export()
    studio.take("export", dialog)
    dialog.reject()


def messages(studio: Studio) -> None:
    """Show what is said above the page, with a way out; and finding words."""
    app = studio.app
    app.actions.find.trigger()
    app.captions_page.stage.find_bar.field.setText("letters")
    studio.take("captions-find")
    app.captions_page.stage.find_bar.close_search()
    app.actions.new.trigger()
    studio.take("captions-cleared")
    app.actions.undo_new.trigger()


def notes(studio: Studio) -> None:
    """Picture a meeting of half an hour with its notes beside it, one of which is chosen."""
    app = studio.app
    app.actions.notes.setChecked(True)
    studio.hold_meeting()
    pane = app.captions_page.notes_pane
    studio.settle(lambda: pane.model.rowCount() > 0, seconds=0.4)
    place = pane.model.index(pane.model.rowCount() // 2)
    pane.list.setCurrentIndex(place)
    pane.list.opened.emit(place)
    studio.take("notes")
    _narrow(studio, "notes-narrow")
    app.actions.notes.setChecked(False)
    app.actions.new.trigger()
    app.window.message.drop_passing()  # it would stand on the pictures that follow


def assistant(studio: Studio) -> None:
    """Picture the assistant before a conversation, and in the middle of one."""
    app = studio.app
    app.actions.assistant_page.trigger()
    studio.take("assistant-empty")
    studio.converse()
    studio.take("assistant")
    _narrow(studio, "assistant-narrow")


def history(studio: Studio) -> None:
    """Show what was said on several days; and what a search finds."""
    app = studio.app
    app.actions.history_page.trigger()
    studio.settle(lambda: bool(app.history_page.sessions.model.sessions))
    studio.choose_session("Biology, week 4")
    studio.settle(lambda: app.history_page.transcript is not None, seconds=0.4)  # where it is narrow none was chosen
    studio.take("history")
    app.history_page.commands.delays.setChecked(True)
    app.history_page.look_for("flowers")
    studio.settle(seconds=0.6)
    studio.take("history-search")
    app.history_page.look_for("zeppelin")
    studio.settle(seconds=0.6)
    studio.take("history-nothing-found")
    app.history_page.look_for("")
    app.history_page.commands.delays.setChecked(False)
    _narrow(studio, "history-narrow")


def models(studio: Studio) -> None:
    """Picture all kinds of models."""
    app = studio.app
    app.actions.models_page.trigger()
    studio.settle(lambda: bool(app.models_page.cards), seconds=0.5)
    app.library.pace = content.PACE
    app.library.changed.emit()
    for use in Use:
        app.models_page.show_use(use)
        studio.settle(seconds=0.4)
        studio.take(f"models-{use.value}")
    _narrow(studio, "models-narrow")
    app.actions.captions_page.trigger()


def settings(studio: Studio) -> None:
    """Picture every page of the settings, and what a search finds."""
    dialog = studio.app.dialogs.settings
    for page in SETTINGS_PAGES:
        dialog.open_page(page)
        if page == "sound":
            _show_sound(studio, dialog)
        studio.take(f"settings-{page}", dialog)
        if page == "general":
            for area in dialog.findChildren(QScrollArea):
                for row in area.findChildren(SessionStartRow):
                    area.ensureWidgetVisible(row, 0, BELOW_PIXELS)
            studio.take("settings-background", dialog)
    dialog.search.setText("colour")
    studio.take("settings-search", dialog)
    dialog.close()


def silence(studio: Studio) -> None:
    """Show what the doctor of silence found."""
    inputs = studio.app.devices.inputs or ()
    dialog = studio.app.dialogs.silence
    dialog.show()
    dialog.examination.found.emit(
        (
            Finding(Cause.MUTED, inputs[0], "built_in"),
            Finding(Cause.ELSEWHERE, inputs[1], dbfs=-24.0),
            Finding(Cause.BEHIND, seconds=4.0),
        )
    )
    studio.take("silence", dialog)
    dialog.close()


def shortcuts(studio: Studio) -> None:
    """Picture the list of all keys."""
    dialog: QWidget = ShortcutList(studio.app.actions, studio.app.window)
    dialog.show()
    studio.take("shortcuts", dialog)
    dialog.close()


def _show_sound(studio: Studio, dialog: QWidget) -> None:
    """Make the microphone test look as if somebody spoke, on any computer."""
    studio.settle(seconds=0.3)
    for test in dialog.findChildren(MicrophoneTest):
        test.shut_down()
        for dbfs in (-40.0, -31.0, -24.0, -28.0, -19.0, -22.0, -35.0, -26.0, -18.0, -21.0) * 3:
            test.level.show_level(dbfs)


def _narrow(studio: Studio, name: str) -> None:
    size = studio.app.window.size()
    studio.app.window.resize(NARROW)
    studio.take(name)
    studio.app.window.resize(size)


SCENES: tuple[Scene, ...] = (
    *(captions, reading_along, tuning, export, messages, notes, assistant, history),
    *(models, settings, silence, shortcuts, welcome),
)
