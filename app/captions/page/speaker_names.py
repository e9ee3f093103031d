"""Names that a person gives to the speakers of the captions on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.captions.page.edits import Edits
from app.captions.session import LiveSession
from app.transcript.caption_text import UNSURE
from app.transcript.speaker_dialog import SpeakerDialog, first_names, renamed
from app.widgets.known_words import KnownWords


class SpeakerNames(QObject):
    """Names the speakers of a LiveSession's captions, and offers their names as words to know."""

    def __init__(self, session: LiveSession, edits: Edits, known_words: KnownWords, page: QWidget) -> None:
        super().__init__(page)
        self._session = session
        self._edits = edits
        self._known_words = known_words
        self._page = page

    def ask(self, captions: tuple[int, ...]) -> SpeakerDialog:
        """Ask for the speaker of these captions."""
        model = self._session.captions
        present = ["" if each.speaker == UNSURE else each.speaker for each in model.captions if each.id in captions]
        speakers = [*model.speakers, *self._session.speakers.values()]
        dialog = SpeakerDialog(speakers, present, self._page.window(), everywhere=set(present) <= first_names())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda name, everywhere: self.name(captions, name, everywhere=everywhere))
        dialog.open()
        return dialog

    def name(self, captions: tuple[int, ...], name: str, *, everywhere: bool = False) -> None:
        """Set the speaker of these captions; `everywhere`, of all that this speaker has said and will say."""
        model, sides = self._session.captions, self._session.speakers
        if everywhere:
            meant = {each.speaker for each in model.captions if each.id in captions}
            captions = tuple(each.id for each in model.captions if each.speaker in meant)
            self._session.call_speakers({own: name for own, now in sides.items() if now in meant})
        before = model.name_speakers(dict.fromkeys(captions, name))
        offered = self._known_words.actions([name] if name else [])
        self._edits.note(renamed(name, len(captions)), lambda: self._name_back(before, sides), offered)

    def _name_back(self, before: Mapping[int, str], sides: Mapping[str, str]) -> None:
        self._session.captions.name_speakers(before)
        self._session.call_speakers(sides)
