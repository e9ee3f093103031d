"""One model on the page: description, download, purpose, and buttons."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.models.downloads import DownloadState
from app.models.model_words import ModelWords
from app.models.uses import Use, possible_uses, uses_of
from app.preferences.preferences import Preferences
from app.widgets.action_button import ICON_PIXELS
from app.widgets.layouts import Stretch, in_column, in_row
from engine.loading.advice import Advice
from engine.loading.library import LibraryModel, fit

NARROW_PIXELS = 560
ICONS = ("download", "resume", "pause", "delete")
MOST_TITLE_PIXELS = 140
"""Smallest width of a long title in a narrow card."""

_STEPS = 1000


class ModelCard(QFrame):
    """Shows one model of the library.

    Attributes:
        model: the model as last shown.

    Signals:
        download_wanted, pause_wanted, cancel_wanted, delete_wanted: an action on the model of this name.
        use_wanted: use the model of this name for a purpose (Use).
        sample_wanted: let the voice of this name be heard.
    """

    download_wanted = Signal(str)
    pause_wanted = Signal(str)
    cancel_wanted = Signal(str)
    delete_wanted = Signal(str)
    use_wanted = Signal(str, object)
    sample_wanted = Signal(str)

    def __init__(self, model: LibraryModel, icons: Mapping[str, QIcon], parent: QWidget | None = None) -> None:
        """Build a card; `icons` has those of ICONS, shared because drawing them for each card would take long."""
        super().__init__(parent)
        self.model = model
        self._words = ModelWords(self)
        self._uses: tuple[Use, ...] = ()
        self._state: DownloadState | None = None
        self._asks = False
        self.setProperty("role", "card")
        self._title = _Title()
        self._marks = in_row(spacing=6)
        self._facts, self._note, self._warning = _label("quiet"), _label("quiet"), _label("problem")
        self._reason, self._speed = _label("good"), _label("quiet")
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._progress, self._problem = _label("quiet"), _label("problem")
        self._make_buttons()
        self._lay_out()
        self.show_advice(None)
        self.set_icons(icons)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """All buttons in order; those without effect now are hidden."""
        own = (self.download, self.resume, self.pause, self.cancel, self.delete, self.keep, self.really_delete)
        return (*self.use_buttons.values(), self.sample, *own)

    def show_model(self, model: LibraryModel, preferences: Preferences, machine_megabytes: int) -> None:
        """Show the model's present state."""
        self.model = model
        self._uses = uses_of(model, preferences)
        self._title.setText(model.title)
        self._title.setToolTip(model.title)
        self._facts.setText(self._words.facts(model, details=preferences.appearance.details))
        _put(self._note, self._words.note(model))
        _put(self._warning, self._words.memory_warning(model, machine_megabytes))
        self._warning.setProperty("role", "problem" if fit(model, machine_megabytes) == "not" else "quiet")
        self._show_marks()
        self.setProperty("current", bool(self._uses))
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(model.title)
        self.setAccessibleDescription(self._facts.text())
        self._refresh()

    def show_advice(self, advice: Advice | None, *, details: bool = False) -> None:
        """Show the advice for the listed purpose and language; None if the model does not serve them."""
        _put(self._reason, self._words.advice(advice) if advice is not None else "")
        _put(self._speed, self._words.speed(advice, details=details) if advice is not None else "")
        self._speed.setToolTip(self._words.source(self.model))

    def show_download(self, state: DownloadState | None) -> None:
        """Show the state of its download; None if there is none."""
        self._state = state
        self._refresh()

    def ask_to_delete(self) -> None:
        """Ask for confirmation, or show why it cannot be deleted."""
        if self._uses:
            _put(self._problem, self._words.in_use(self._uses))
            return
        self._asks = True
        self._refresh()
        self.keep.setFocus()

    def set_icons(self, icons: Mapping[str, QIcon]) -> None:
        for button, name in zip((self.download, self.resume, self.pause, self.delete), ICONS, strict=True):
            button.setIcon(icons[name])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < NARROW_PIXELS
        ways = QBoxLayout.Direction
        self._upper.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self._lower.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)

    def _make_buttons(self) -> None:
        name = self.model.name
        self.use_buttons: dict[Use, QPushButton] = {}
        for use in possible_uses(self.model):
            button = _button(self._words.put_to_use(use))
            button.clicked.connect(lambda _=False, use=use: self.use_wanted.emit(name, use))
            self.use_buttons[use] = button
        self.sample = _button(self.tr("Listen"), "flat")
        self.sample.clicked.connect(lambda: self.sample_wanted.emit(name))
        self.download = _button(self.tr("Download"))
        self.download.clicked.connect(lambda: self.download_wanted.emit(name))
        self.resume = _button(self.tr("Continue"))
        self.resume.clicked.connect(lambda: self.download_wanted.emit(name))
        self.pause = _button(self.tr("Pause"))
        self.pause.clicked.connect(lambda: self.pause_wanted.emit(name))
        self.cancel = _button(self.tr("Cancel"), "flat")
        self.cancel.setToolTip(self.tr("Cancels the download and discards what has arrived"))
        self.cancel.clicked.connect(lambda: self.cancel_wanted.emit(name))
        self.delete = _button("", "flat")
        self.delete.setProperty("compact", True)
        self.delete.clicked.connect(self.ask_to_delete)
        self.keep = _button(self.tr("Keep"))
        self.keep.clicked.connect(self._keep)
        self.really_delete = _button(self.tr("Delete"), "stop")
        self.really_delete.clicked.connect(self._delete)

    def _lay_out(self) -> None:
        heading = in_row(self._title, self._marks, Stretch(1), spacing=10)
        words = in_column(heading, spacing=3)
        for label in (self._reason, self._facts, self._speed, self._note, self._warning):
            words.addWidget(label)
        actions = in_row(spacing=8)
        for button in (self.sample, *self.use_buttons.values(), self.download, self.delete):
            actions.addWidget(button)
        self._upper = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._upper.setSpacing(12)
        self._upper.addLayout(words, 1)
        self._upper.addLayout(actions)
        self._upper.setAlignment(actions, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        said = in_column(self._progress, self._problem, spacing=3)
        others = in_row(spacing=8)
        for button in (self.resume, self.pause, self.cancel, self.keep, self.really_delete):
            others.addWidget(button)
        self._lower = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lower.setSpacing(12)
        self._lower.addLayout(said, 1)
        self._lower.addLayout(others)
        self._lower.setAlignment(others, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        in_column(self._upper, self._bar, self._lower, on=self, margins=(18, 14, 14, 14), spacing=8)

    def _show_marks(self) -> None:
        while (item := self._marks.takeAt(0)) is not None:
            mark = item.widget()
            if mark is not None:
                mark.hide()
                mark.deleteLater()
        for use in self._uses:
            mark = _label("badge")
            mark.setText(self._words.use(use))
            mark.setMinimumWidth(0)
            mark.setAlignment(Qt.AlignmentFlag.AlignCenter)
            mark.setToolTip(self.tr("What this model is used for"))
            self._marks.addWidget(mark)

    def _refresh(self) -> None:
        """Update texts and buttons, and keep the focus near its place."""
        model, state = self.model, self._state
        had_focus = any(button.hasFocus() for button in self.buttons)
        runs = state is not None and state.phase != "failed"
        begun = not runs and model.unfinished_bytes > 0
        fetchable = model.source == "hub" and not runs and not begun and not (state and state.error)
        for use, button in self.use_buttons.items():
            button.setVisible(model.installed and use not in self._uses and not self._asks)
        self.sample.setVisible(model.kind == "voice" and (model.installed or bool(model.sample)) and not self._asks)
        self.sample.setToolTip("" if model.installed else self.tr("Opens a recording of this voice in the browser"))
        self.download.setVisible(fetchable and not model.installed)
        self.resume.setVisible(begun or (not runs and state is not None))
        self.resume.setText(self.tr("Continue") if begun else self.tr("Try again"))
        self.pause.setVisible(runs)
        self.pause.setEnabled(state is not None and state.phase == "running")
        self.cancel.setVisible(runs or begun or state is not None)
        self.cancel.setText(self.tr("Cancel") if runs or begun else self.tr("Close"))
        self.delete.setVisible(self._deletable() and not self._asks and not runs)
        self.keep.setVisible(self._asks)
        self.really_delete.setVisible(self._asks)
        self._name_buttons()
        self._show_progress(runs, begun)
        if had_focus and not any(button.hasFocus() and button.isVisible() for button in self.buttons):
            following = next(
                (button for button in self.buttons if button.isVisibleTo(self) and button.isEnabled()), None
            )
            if following is not None:
                following.setFocus()

    def _deletable(self) -> bool:
        model = self.model
        return model.source != "ships" and (model.folder is not None or bool(model.problem))

    def _name_buttons(self) -> None:
        """Name the buttons so that screen readers say which model they belong to."""
        forgets = self.model.source == "folder"
        said = self.tr("Forget") if forgets else self.tr("Delete")
        self.really_delete.setText(said)
        self.delete.setToolTip(
            self.tr("Forgets this model; its files stay") if forgets else self.tr("Deletes this model from the disk")
        )
        for button in self.buttons:
            text = said if button is self.delete else button.text()
            button.setAccessibleName(f"{text}: {self.model.title}")

    def _show_progress(self, runs: bool, begun: bool) -> None:
        model, state = self.model, self._state
        self._bar.setVisible(runs or begun)
        self._bar.setProperty("state", "" if runs else "waiting")
        self._bar.setAccessibleName(self.tr("Download of {title}").format(title=model.title))
        done, total = model.fetched_bytes, model.unfinished_bytes
        said = self._words.begun(done, total) if begun else ""
        if runs and state is not None:
            done, total = state.progress.done_bytes, state.progress.total_bytes
            said = self._words.progress(state)
        elif begun:
            said = self.tr("Paused: {done}").format(done=said)
        self._bar.setValue(round(_STEPS * done / total) if total else 0)
        self._bar.style().polish(self._bar)
        _put(self._progress, self._question() if self._asks else said)
        failed = state.error if state is not None else None
        _put(self._problem, self._words.error(failed) if failed is not None else self._words.problem(model.problem))

    def _question(self) -> str:
        if self.model.source == "folder":
            return self.tr("Forget this model? Its files stay as they are.")
        size = self._words.size(self.model.disk_bytes)
        return self.tr("Delete this model, {size}? Other programs that use it lose it too.").format(size=size)

    def _keep(self) -> None:
        self._asks = False
        self._refresh()
        self.delete.setFocus()

    def _delete(self) -> None:
        self._asks = False
        self._refresh()
        self.delete_wanted.emit(self.model.name)


class _Title(QLabel):
    """A title that ends in "…" if there is not enough room: folders have names of any length."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "heading")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(MOST_TITLE_PIXELS, super().minimumSizeHint().width()), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter = QPainter(self)
        self.style().drawItemText(
            painter, room, side.value, self.palette(), self.isEnabled(), text, self.foregroundRole()
        )


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setProperty("role", role)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(role not in ("heading", "badge"))
    label.setMinimumWidth(60)
    return label


def _put(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))


def _button(text: str, role: str = "") -> QPushButton:
    button = QPushButton(text)
    button.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
    button.setProperty("role", role)
    return button
