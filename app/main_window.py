"""The window: it shows a LiveSession and asks for what the person wants. It computes nothing."""

from __future__ import annotations

import itertools
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, QStandardPaths, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMessageBox, QVBoxLayout, QWidget

from app.actions import Actions
from app.audio_sources import AudioFile, AudioSource
from app.captions.glyph_watch import GlyphWatch
from app.history.export import FORMATS, write_captions
from app.history.last_captions import LastCaptions
from app.live_session import LiveSession, State, Status
from app.settings.preferences_file import PreferencesFile
from app.theme import Theme, caption_font
from app.window.caption_stage import CaptionStage
from app.window.header_bar import HeaderBar
from app.window.message_bar import MessageBar
from app.window.source_picker import SourcePicker
from app.window.translation_chooser import TranslationChooser
from app.window.transport_bar import TransportBar
from engine.errors import EngineError
from engine.events import Caption, Translation
from engine.messages import Ready

USUAL_POINTS = 19.0
LEAST_POINTS, MOST_POINTS, STEP_FACTOR = 11.0, 48.0, 1.15
LAST_WORDS_MILLISECONDS = 2500
_DOCUMENTS = QStandardPaths.StandardLocation.DocumentsLocation
AUDIO_ENDINGS = "wav flac ogg oga opus mp3 aiff aif au"


class MainWindow(QMainWindow):
    """Source picker, message, captions, transport; menus; an audio file can be dropped anywhere.

    Signals:
        left: the window has closed, with nothing being recorded any more.
    """

    left = Signal()

    def __init__(
        self,
        session: LiveSession,
        theme: Theme,
        actions: Actions,
        demo: AudioFile,
        last: LastCaptions,
        preferences: PreferencesFile,
        language_model: str,
    ) -> None:
        super().__init__()
        self.session = session
        self.picker = SourcePicker(theme, demo)
        self.header = HeaderBar(self.picker, actions)
        self.message = MessageBar(theme)
        self.stage = CaptionStage(session.captions, actions)
        self.transport = TransportBar(actions)
        self.translation = TranslationChooser(session, actions, preferences, language_model, self)
        self._actions = actions
        self._theme = theme
        self._last = last
        self._points = USUAL_POINTS
        self._why_no_microphone = self.tr("No microphone was found. Connect one, or open an audio file instead.")
        self._cleared: tuple[tuple[Caption, ...], tuple[Translation, ...]] = ((), ())
        self._is_leaving = False
        self._lay_out()
        self._connect_session()
        self._connect_actions()
        self._glyphs = GlyphWatch(session.captions, caption_font(USUAL_POINTS), self)
        self._glyphs.missing.connect(self._show_missing_font)
        self._set_points(USUAL_POINTS)
        self._refresh()

    def _lay_out(self) -> None:
        self.setWindowTitle("Earshot")
        self.setMinimumSize(QSize(360, 380))
        self.resize(960, 640)
        self.setAcceptDrops(True)
        self._actions.fill(self.menuBar())
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.message)
        column.addWidget(self.stage, 1)
        column.addWidget(self.transport)
        self.setCentralWidget(body)
        self._order_focus()
        self.setFocus()

    def _order_focus(self) -> None:
        order = (
            self.picker,
            self.header.translation,
            self.header.copy,
            self.header.export,
            *self.message.buttons,
            *self.stage.empty.buttons,
            self.stage.captions,
            self.stage.newest,
            self.transport.start,
            self.transport.stop,
        )
        for before, after in itertools.pairwise(order):
            self.setTabOrder(before, after)

    def _connect_session(self) -> None:
        session, transport = self.session, self.transport
        session.status_changed.connect(self._show_status)
        session.level_measured.connect(transport.level.show_level)
        session.time_passed.connect(transport.show_time)
        session.figures_changed.connect(transport.show_figures)
        session.model_loaded.connect(self._show_model)
        session.language_model_loaded.connect(self._show_warnings)
        session.noticed.connect(self.message.show_problem)
        session.failed.connect(self._show_failure)
        session.engine_crashed.connect(self._show_crash)
        session.finished.connect(self._note_end)
        self.message.shown.connect(self._order_focus)
        session.captions.rowsInserted.connect(self._refresh)
        session.captions.rowsRemoved.connect(self._refresh)
        session.captions.modelReset.connect(self._refresh)
        self._theme.changed.connect(self.stage.captions.rebuild)

    def _connect_actions(self) -> None:
        actions = self._actions
        actions.start.triggered.connect(self.start)
        actions.stop.triggered.connect(self.session.stop)
        actions.demo.triggered.connect(self.play_demo)
        actions.restart_engine.triggered.connect(self._restart_engine)
        actions.open_file.triggered.connect(self._ask_for_file)
        actions.new.triggered.connect(self._clear)
        actions.undo_new.triggered.connect(self._undo_clear)
        actions.reopen.triggered.connect(self._reopen)
        actions.export.triggered.connect(self._ask_for_export)
        actions.copy.triggered.connect(self._copy)
        actions.quit.triggered.connect(self.close)
        actions.larger.triggered.connect(lambda: self._set_points(self._points * STEP_FACTOR))
        actions.smaller.triggered.connect(lambda: self._set_points(self._points / STEP_FACTOR))
        actions.usual_size.triggered.connect(lambda: self._set_points(USUAL_POINTS))
        actions.translation.triggered.connect(lambda: self.translation.open_below(self.header.translation))
        self.translation.failed.connect(self.message.show_problem)
        actions.about.triggered.connect(self._show_about)
        self.picker.file_wanted.connect(self._ask_for_file)

    def start(self) -> None:
        """Caption what the picker names, unless something is being captioned."""
        source = self.picker.source
        if self.session.is_busy:
            return
        if source is None:
            self.message.show_problem(self._why_no_microphone, self._actions.open_file)
        else:
            self._caption(source)

    def play_demo(self) -> None:
        """Choose the demo, and caption it unless something else is being captioned."""
        if not self.session.is_busy:
            self.picker.choose_demo()
            self.start()

    def open_file(self, path: Path) -> None:
        """Choose a file, and caption it unless something else is being captioned."""
        if not self.session.is_busy:
            self.picker.choose_file(path)
            self.start()

    def _caption(self, source: AudioSource) -> None:
        self.message.hide()
        self._is_leaving = False
        self.session.start(source)
        self.stage.captions.jump_to_newest()
        self._refresh()
        self.stage.captions.setFocus()  # for the keys that scroll

    def export_to(self, path: Path) -> None:
        """Write the captions in the format the name ends in; what prevents it is shown."""
        try:
            captions = self.session.captions
            write_captions(path, captions.final_captions(), translations=captions.final_translations())
        except EngineError as error:
            self.message.show_problem(str(error), self._actions.export)
        else:
            self.message.show_notice(self.tr("Exported to {}.").format(path))

    def show_microphones(self, devices: object) -> None:
        """Take the result of a search for microphones."""
        assert isinstance(devices, tuple)
        self.picker.offer_microphones(devices)
        self._refresh()

    def show_no_microphones(self, reason: str) -> None:
        """Take the failure of a search for microphones."""
        self.picker.offer_microphones(())
        self._why_no_microphone = reason
        self._refresh()

    def _refresh(self) -> None:
        """Bring what can be done, and what stands in the middle, in line with what is so."""
        session, actions = self.session, self._actions
        has_captions = session.captions.rowCount() > 0
        busy = session.is_busy
        invites = not busy and not has_captions
        actions.start.setEnabled(not busy)
        actions.demo.setEnabled(not busy)
        actions.open_file.setEnabled(not busy)
        actions.stop.setEnabled(session.is_recording)
        actions.new.setEnabled(has_captions and not busy)
        actions.reopen.setEnabled(invites)
        actions.copy.setEnabled(has_captions)
        actions.export.setEnabled(has_captions)
        actions.restart_engine.setEnabled(session.status.state is State.ENGINE_STOPPED)
        self.picker.setEnabled(not busy)
        self.stage.show_captions(not invites)
        self.stage.empty.advise(has_microphone=self.picker.has_microphone)
        self.transport.show_recording(busy)
        self.transport.show_controls(not invites)

    def _show_status(self, status: Status) -> None:
        self.transport.show_status(status)
        hints = {
            State.LOADING: self.tr("One moment, the model is being loaded."),
            State.NO_SOUND: self.tr("The microphone is silent. Is it muted, or is Earshot not allowed to use it?"),
            State.LISTENING: self.tr("Listening. Words appear here as they are spoken."),
        }
        if status.state in hints:
            self.stage.captions.set_hint(hints[status.state])
        self._refresh()

    def _show_model(self, ready: Ready) -> None:
        self.transport.show_model(ready.model)
        self._show_warnings(ready)

    def _show_warnings(self, ready: Ready) -> None:
        for warning in ready.warnings:
            self.message.show_problem(warning)

    def _show_failure(self, text: str) -> None:
        self.message.show_problem(text, None if self.picker.has_microphone else self._actions.open_file)
        self._refresh()

    def _show_crash(self) -> None:
        self._refresh()
        text = self.tr("The captioning engine stopped unexpectedly. Everything written so far is kept.")
        if self.session.is_recording:
            text = self.tr("The captioning engine stopped unexpectedly. The recording goes on, and no words are lost.")
        self.message.show_problem(text, self._actions.restart_engine)

    def _note_end(self) -> None:
        self._refresh()
        if self.stage.is_empty and not self.message.isVisible():
            self.message.show_notice(self.tr("No speech was heard."))

    def _show_missing_font(self, character: str) -> None:
        text = self.tr("No font on this computer can show “{}”. Install one for its script, from the Noto family say.")
        self.message.show_problem(text.format(character))

    def _restart_engine(self) -> None:
        self.message.hide()
        self.session.restart_engine()

    def _ask_for_file(self) -> None:
        patterns = " ".join(f"*.{ending}" for ending in AUDIO_ENDINGS.split())
        name, _ = QFileDialog.getOpenFileName(
            self, self.tr("Open audio file"), "", self.tr("Audio files ({});;All files (*)").format(patterns)
        )
        if name:
            self.open_file(Path(name))

    def _ask_for_export(self) -> None:
        names = {
            ".srt": self.tr("SubRip subtitles (*.srt)"),
            ".vtt": self.tr("WebVTT subtitles (*.vtt)"),
            ".txt": self.tr("Text (*.txt)"),
            ".json": self.tr("JSON with word times (*.json)"),
        }
        filters = {names[ending]: ending for ending in FORMATS}
        proposal = str(Path(QStandardPaths.writableLocation(_DOCUMENTS)) / "captions.srt")
        name, chosen = QFileDialog.getSaveFileName(self, self.tr("Export captions"), proposal, ";;".join(filters))
        if name:
            path = Path(name)
            self.export_to(path if path.suffix.lower() in FORMATS else path.with_name(path.name + filters[chosen]))

    def _copy(self) -> None:
        marks = {ord("\N{PARAGRAPH SEPARATOR}"): "\n", ord("\N{NO-BREAK SPACE}"): " "}
        selected = self.stage.captions.textCursor().selectedText().translate(marks)
        QGuiApplication.clipboard().setText(selected or self.session.captions.text())
        self.header.confirm_copy()

    def _clear(self) -> None:
        self._keep()
        self._cleared = self.session.captions.clear()
        self.message.show_notice(self.tr("The transcript was cleared."), self._actions.undo_new)
        self._refresh()

    def _undo_clear(self) -> None:
        self.session.captions.reset_to(*self._cleared)
        self.message.hide()

    def _reopen(self) -> None:
        try:
            captions, translations = self._last.give_back(), self._last.give_back_translations()
        except EngineError as error:
            self.message.show_problem(str(error))
            return
        if not captions:
            self.message.show_notice(self.tr("There are no captions from before."))
            return
        self.session.captions.reset_to(captions, translations)
        self.message.hide()

    def _keep(self) -> bool:
        """Put the captions where `_reopen` finds them; if that cannot be done, say so."""
        try:
            captions = self.session.captions
            self._last.keep(captions.final_captions(), captions.final_translations())
        except EngineError as error:
            self.message.show_problem(str(error), self._actions.export)
            return False
        return True

    def _set_points(self, points: float) -> None:
        self._points = min(max(points, LEAST_POINTS), MOST_POINTS)
        self.stage.captions.set_caption_font(caption_font(self._points))

    def _show_about(self) -> None:
        from importlib.metadata import version

        QMessageBox.about(
            self,
            self.tr("About Earshot"),
            self.tr(
                "<h3>Earshot {}</h3><p>Live captions, made on your own computer. Nothing leaves it.</p>"
                "<p>Free software under the GNU General Public License, version 3 or later.</p>"
            ).format(version("earshot")),
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_file(event.mimeData()) is not None and not self.session.is_busy:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if (path := _dropped_file(event.mimeData())) is not None:
            event.acceptProposedAction()
            self.open_file(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close at once, or as soon as the last words of a recording are there; asked again, at once.

        Captions that cannot be kept hold the window open once, so that they can be exported.
        """
        asked_again, self._is_leaving = self._is_leaving, True
        if self.session.is_busy and not asked_again:
            event.ignore()
            self.session.finished.connect(self.close)
            QTimer.singleShot(LAST_WORDS_MILLISECONDS, self, self.close)
            self.session.stop()
        elif self._keep() or asked_again:
            event.accept()
            self.left.emit()
        else:
            event.ignore()


def _dropped_file(data: QMimeData) -> Path | None:
    files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return files[0] if len(files) == 1 else None
