"""Feeds new captions to the overlay immediately, limited to a useful repaint rate."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from app.overlay.overlay_face import OverlayFace
from app.overlay.overlay_lines import Passage
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import as_first_shown, composed, composed_translation, is_part, name_before
from engine.events import Caption, Translation

REPAINT_MILLISECONDS = 25
MOST_PASSAGES = 40
"""Most passages that are passed on, more than fit on any overlay."""


class OverlayFeed(QObject):
    """Passes a CaptionModel's newest captions to an OverlayFace while it runs.

    Better words of finished captions are left out, with their translations, and so are better labels of speakers: lines
    that were read do not change.
    """

    def __init__(self, model: CaptionModel, face: OverlayFace) -> None:
        super().__init__(face)
        self._model = model
        self._face = face
        self._runs = False
        self._is_due = False
        self._stable_only = False
        self._translated: dict[int, Translation] = {}  # the first final translations that were passed on, by id
        self._rest = QTimer(self, singleShot=True, interval=REPAINT_MILLISECONDS)
        self._rest.timeout.connect(self._catch_up)
        model.rowsInserted.connect(self._note)
        model.dataChanged.connect(self._note)
        model.rowsRemoved.connect(self._note)
        model.modelReset.connect(self._start_over)

    def run(self, runs: bool) -> None:
        """Start with the speech from now on, or stop."""
        if runs and not self._runs:
            self._start_over()
        self._runs = runs

    def set_stable_only(self, stable_only: bool) -> None:
        """Set whether pending words are left out."""
        if stable_only != self._stable_only:
            self._stable_only = stable_only
            self._note()

    def _start_over(self) -> None:
        """Hide existing captions: they were not spoken just now."""
        self._translated.clear()
        self._face.show_passages(*self._newest(-1))
        self._face.clear()

    def _note(self) -> None:
        if not self._runs:
            return
        self._is_due = True
        if not self._rest.isActive():
            self._catch_up()

    def _catch_up(self) -> None:
        if self._is_due:
            self._is_due = False
            self._rest.start()
            self._face.show_passages(*self._newest(self._face.needed_from()))

    def _newest(self, first_id: int) -> tuple[list[Passage], list[Passage]]:
        """Return the captions from an id on, and their translations."""
        spoken: list[Passage] = []
        translated: list[Passage] = []
        row = self._model.rowCount() - 1
        while row >= 0 and len(spoken) < MOST_PASSAGES:
            caption = self._model.caption_at(row)
            if is_part(caption):
                row -= 1
                continue
            if caption.id < first_id:
                break
            caption = replace(caption, speaker=self._model.live_speaker(caption))
            begins = row == 0 or self._model.live_speaker(self._model.caption_at(row - 1)) != caption.speaker
            text, solid = composed(as_first_shown(caption), stable_only=self._stable_only, named=begins)
            spoken.append(Passage(caption.id, text, solid, caption.language, caption.speaker, _moved(caption, begins)))
            if translation := self._first_translation(row):
                line = (name_before(caption.speaker) if begins else "") + composed_translation(translation.text)
                translated.append(Passage(caption.id, line, len(line), translation.language, caption.speaker))
            row -= 1
        for gone in [each for each in self._translated if each < first_id]:
            del self._translated[gone]
        return spoken[::-1], translated[::-1]

    def _first_translation(self, row: int) -> Translation | None:
        translation = self._model.translation_at(row)
        if translation is None or not translation.final:
            return translation
        return self._translated.setdefault(translation.id, translation)


def _moved(caption: Caption, named: bool) -> tuple[int, int]:
    """Return the part of a caption's line that stood in the one before; see Passage."""
    if not caption.moved:
        return 0, 0
    moved = replace(caption, committed=caption.committed[: caption.moved], pending=())
    return len(name_before(caption.speaker)) if named else 0, composed(moved, named=named)[1]
