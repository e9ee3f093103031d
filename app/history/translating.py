"""Translation of a kept transcript: a menu of languages, and a bar with the progress."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu

from app.engine_link.engine_client import EngineClient
from app.history.archive import Archive
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.history.work_bar import WorkBar
from app.look.language_names import language_name
from app.look.problems import in_words
from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.events import Translation
from engine.process.messages import TranslationChoice
from engine.translate.targets import translation_targets


class TranscriptTranslation(WorkBar):
    """Translates a transcript. A translation that is cancelled or fails is not kept."""

    def __init__(self, archive: Archive, settings: Settings, client: EngineClient | None = None) -> None:
        super().__init__(self.tr("It was not translated: {}"), client)
        self.progress.setAccessibleName(self.tr("Captions that are translated"))
        self._archive = archive
        self._settings = settings
        self._target = ""
        self._reason = ""  # why captions stay as they are
        self._found: list[Translation] = []
        self._client.translation_changed.connect(self._add_translation)
        self._client.incident_came.connect(self._note)
        self._client.conversation_finished.connect(self._keep)

    def ask(self, transcript: Transcript) -> QMenu:
        """Ask for the language. The menu marks that of the present translation, and explains why there may be none."""
        menu = QMenu(self.window())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._offer(menu, transcript)
        button = QApplication.focusWidget()
        if isinstance(button, QAbstractButton):  # it may have been pressed by a key, far from the mouse
            menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
        else:
            menu.popup(QCursor.pos())
        return menu

    def _offer(self, menu: QMenu, transcript: Transcript) -> None:
        try:
            codes = translation_targets(self._settings.preferences.models.translation)
        except EngineError as error:
            menu.addAction(in_words(str(error))).setEnabled(False)
            return
        present = transcript.session.target if transcript.session is not None else ""
        for code in sorted(codes, key=language_name):
            language = menu.addAction(language_name(code))
            language.setCheckable(bool(present))
            language.setChecked(code == present)
            language.triggered.connect(lambda checked=False, code=code: self.begin(transcript, code))

    def begin(self, transcript: Transcript, target: str) -> None:
        """Translate all captions of a kept transcript, in place of its present translations."""
        captions = [caption for caption in transcript.captions if caption.text]
        if self.is_busy or transcript.session is None or not captions:
            return
        self._target, self._reason, self._found = target, "", []
        self.progress.setRange(0, len(captions))
        self._show_progress()
        preferences = self._settings.preferences
        options = replace(preferences.translation, target=target)
        self._open(transcript.session.id)
        self._client.translate_transcript(captions, TranslationChoice(options, preferences.models.translation))

    def _add_translation(self, translation: Translation) -> None:
        if self.is_busy:
            self._found.append(translation)
            self._show_progress()

    def _note(self, reason: str) -> None:
        self._reason = reason

    def _keep(self) -> None:
        session, found = self._close(), tuple(self._found)
        if session is None:
            return
        if not found:
            self.failed.emit(self._reason)
            return

        def write(store: HistoryStore) -> None:
            if store.session(session) is not None:  # else it was erased meanwhile
                store.replace_translations(session, found)

        self._archive.write(write)
        self.finished.emit(self.tr("It was translated into {}.").format(language_name(self._target)))

    def _show_progress(self) -> None:
        text = self.tr("Translating into {}: {} of {}")
        done, of = len(self._found), self.progress.maximum()
        self.label.setText(text.format(language_name(self._target), done, of))
        self.progress.setValue(done)
