"""The bar below the captions: start, stop and pause, mute, level, time, state and figures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.actions import Actions
from app.captions.figures import Figures
from app.captions.page.levels import Levels
from app.captions.session import State, Status
from app.look.decimals import decimal
from app.look.theme import figures_font
from app.transcript.reading_view import clock_time
from app.widgets.action_button import ActionButton
from app.widgets.labels import announce

_LIGHT_OF = {
    State.IDLE: "off",
    State.OPENING: "waiting",
    State.LOADING: "waiting",
    State.NO_MODEL: "broken",
    State.LISTENING: "listening",
    State.HEARING: "hearing",
    State.NO_SOURCE: "waiting",
    State.NO_SOUND: "waiting",
    State.PAUSED: "waiting",
    State.BEHIND: "waiting",
    State.FINISHING: "waiting",
    State.FINISHED: "off",
    State.ENGINE_STOPPED: "broken",
    State.RESTARTING: "waiting",
}
_TOLD = (State.LISTENING, State.NO_SOUND, State.PAUSED, State.FINISHING, State.FINISHED)


class TransportBar(QWidget):
    """Shows a LiveSession's state, with the start or the stop action, and one to mute what sounds."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._model = ""
        self._measured = Figures()
        self._seconds = self._length = 0.0
        self._has_details = False
        self._has_controls = True
        self._is_recording = False
        self._sounds = False
        self._told = State.IDLE
        self._is_arranging = False
        self.start = ActionButton(actions.start, "main")
        self.stop = ActionButton(actions.stop, "stop")
        self.pause = ActionButton(actions.pause)
        self.mute = ActionButton(actions.mute)
        self.mute.setCheckable(True)
        self.mute.setChecked(actions.mute.isChecked())
        actions.mute.toggled.connect(self.mute.setChecked)
        self.level = Levels()
        self.time = QLabel(clock_time(0))
        self.time.setAccessibleName(self.tr("Recorded time"))
        self.time.setFont(figures_font())
        self.time.setMinimumWidth(self.time.fontMetrics().horizontalAdvance("0:00:00"))
        self.light = QFrame()  # its colour says what the words beside it say
        self.light.setObjectName("light")
        self.light.setFixedSize(QSize(10, 10))
        self.state = QLabel()
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.private = QLabel(self.tr("Private: nothing is kept"))
        self.private.setProperty("role", "badge")
        actions.private.toggled.connect(self._show_private)
        self.figures = QLabel()
        self.figures.setProperty("role", "quiet")
        self.figures.setFont(figures_font())
        self.figures.setToolTip(
            self.tr("The model, how long after a word is said it is confirmed, and how busy the computer is.")
        )
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumHeight(self.start.sizeHint().height() + 24)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 20, 12)
        row.setSpacing(14)
        for widget in (self.start, self.stop, self.pause, self.mute, self.level, self.time, self.light):
            row.addWidget(widget)
        row.addWidget(self.state, 1)
        row.addWidget(self.private)
        row.addWidget(self.figures)
        self.private.setVisible(actions.private.isChecked())
        self.show_recording(False)
        self.show_status(Status(State.IDLE))

    def show_recording(self, recording: bool) -> None:
        """Offer to stop rather than to start."""
        had_focus = self.start.hasFocus() or self.stop.hasFocus()
        self._is_recording = recording
        self._arrange()
        if had_focus:
            (self.stop if recording else self.start).setFocus()
        if not recording:
            self.level.rest()

    def offer_mute(self, sounds: bool) -> None:
        """Offer to mute what is captioned while it sounds on the loudspeaker."""
        self._sounds = sounds
        self._arrange()

    def _show_private(self, private: bool) -> None:
        """Show that nothing is kept, as long as that is so, and announce both."""
        self.private.setVisible(private)
        announce(self, self.private.text() if private else self.tr("What is said is kept again"))
        self._arrange()

    def show_controls(self, show: bool) -> None:
        """Leave out what the invitation to start offers itself, or what says nothing yet."""
        self._has_controls = show
        self._arrange()

    def show_status(self, status: Status) -> None:
        self.light.setProperty("state", _LIGHT_OF[status.state])
        self.light.style().unpolish(self.light)
        self.light.style().polish(self.light)
        words = self._words_for(status)
        self.state.setText(words)
        self._arrange()
        self._tell(status.state, words)

    def _tell(self, state: State, words: str) -> None:
        """Announce once what begins and ends, but neither pauses between sentences nor what a message announces too."""
        state = State.LISTENING if state is State.HEARING else state
        if state in _TOLD and state is not self._told:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
        self._told = state

    def show_sides(self, names: Sequence[str]) -> None:
        """Show a level for each side, by its name."""
        self.level.show_sides(names)
        self._arrange()

    def show_time(self, seconds: float) -> None:
        self._seconds = seconds
        length = f" / {clock_time(self._length)}" if self._length else ""
        self.time.setText(clock_time(seconds) + length)

    def show_length(self, seconds: float) -> None:
        """Show how long the recording is beside the time; 0 leaves it out."""
        self._length = seconds
        self.show_time(self._seconds)
        self._arrange()

    def show_model(self, name: str) -> None:
        self._model = name
        self._show_figures()

    def show_details(self, shown: bool) -> None:
        """Show the model and the figures, or leave them out."""
        self._has_details = shown
        self._show_figures()

    def show_figures(self, figures: Figures) -> None:
        self._measured = figures
        self._show_figures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Place what there is room for. What is shown or hidden meanwhile may resize the window, and this bar too."""
        if not self._is_arranging:
            self._is_arranging = True
            self._place()
            self._is_arranging = False

    def _place(self) -> None:
        """Make room for the state first, then for button, time and level, then for the figures."""
        button, other = (self.stop, self.start) if self._is_recording else (self.start, self.stop)
        other.hide()
        button.setVisible(self._has_controls)
        button.set_compact(False)
        self.pause.setVisible(self._has_controls and self._is_recording)
        self.pause.set_compact(False)
        width = max(self.start.sizeHint().width(), self.stop.sizeHint().width())
        for each in (self.start, self.stop):  # else what stands beside it would jump
            each.setMinimumWidth(width)
        self.mute.setVisible(self._sounds)
        self.mute.set_compact(False)
        for part in (self.time, self.level):
            part.setVisible(self._has_controls)
        self.mute.set_compact(self._room() < 0)
        self.pause.set_compact(self._room() < 0)
        for part in (self.level, self.time):
            if self._room() < 0:
                part.hide()
        button.set_compact(self._room() < 0)
        if button.compact:
            button.setMinimumWidth(0)
        self._show_figures()
        self._row.activate()  # else, in the middle of a resizing, the parts keep the places they had before

    def _show_figures(self) -> None:
        parts = self._worded_figures() if self._has_details else []
        for fewer in (parts, parts[1:], parts[1:2], []):
            text = "  ·  ".join(part for part in fewer if part)
            if self.figures.fontMetrics().horizontalAdvance(text) <= self._room():
                break
        self.figures.setText(text)
        self.figures.setVisible(bool(text))
        self.figures.setAccessibleName(", ".join(part for part in parts if part))

    def _room(self) -> int:
        """Return the width that is left beside the state and what is shown before it."""
        row = self._row
        parts = (self.start, self.stop, self.pause, self.mute, self.level, self.time, self.light)
        before = [each for each in (*parts, self.private) if not each.isHidden()]
        words = self.state.fontMetrics().horizontalAdvance(self.state.text()) + row.spacing()
        room = self.width() - row.contentsMargins().left() - row.contentsMargins().right()
        widths = (max(each.sizeHint().width(), each.minimumWidth()) for each in before)
        return room - words - sum(widths) - row.spacing() * len(before)

    def _worded_figures(self) -> list[str]:
        parts = [self._model]
        if self._measured.delay_seconds is not None:
            parts.append(self.tr("{} s delay").format(decimal(self._measured.delay_seconds, 1)))
        if self._measured.real_time_factor is not None:
            parts.append(self.tr("{:.0f}% busy").format(100 * self._measured.real_time_factor))
        return parts

    def _words_for(self, status: Status) -> str:
        no_source = self.tr("Microphone disconnected")
        no_sound = self.tr("Your microphone is silent")
        if status.of_computer:
            no_source, no_sound = self.tr("The sound of the computer is gone"), self.tr("Nothing is playing")
        words = {
            State.IDLE: self.tr("Ready"),
            State.LOADING: self.tr("Loading the model…"),
            State.OPENING: self.tr("Opening the sound…"),
            State.NO_MODEL: self.tr("The model cannot be loaded"),
            State.LISTENING: self.tr("Listening"),
            State.HEARING: self.tr("Hearing speech"),
            State.NO_SOURCE: no_source,
            State.NO_SOUND: no_sound,
            State.PAUSED: self.tr("Paused"),
            State.BEHIND: self.tr("Catching up, {:.0f} s behind").format(status.behind_seconds),
            State.FINISHING: self.tr("Finishing the last words…"),
            State.FINISHED: self.tr("Finished"),
            State.ENGINE_STOPPED: self.tr("The engine stopped"),
            State.RESTARTING: self.tr("Restarting the engine…"),
        }
        if status.half_silent and status.state in (State.LISTENING, State.HEARING):
            return self.tr("{} · your microphone is silent").format(words[status.state])
        return words[status.state]
