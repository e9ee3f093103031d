"""Changes that a person makes to the history, each of which can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.history.archive import Archive
from app.history.kept.caption_table import SplitCaption
from app.history.store import HistoryStore

MOST_WAYS_BACK = 100


class Changes(QObject):
    """Writes changes to the archive, and undoes them, the newest first.

    Signals:
        made: what was done, in one sentence; `undo` undoes it.
        undone: earlier messages about changes no longer hold.
        restored: the ids of sessions that come back.
        corrected: the id of the session whose lines have changed.
        joined: the id of the session that several have become.
    """

    made = Signal(str)
    undone = Signal()
    restored = Signal(object)
    corrected = Signal(int)
    joined = Signal(int)

    def __init__(self, archive: Archive, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._archive = archive
        self._ways_back: list[Callable[[], None]] = []
        self._going: set[int] = set()

    def delete(self, sessions: Sequence[int], told: str) -> None:
        """Delete sessions, except those that are being deleted already."""
        going = [each for each in sessions if each not in self._going]
        if going:
            self._going.update(going)
            for session in going:
                self._archive.write(partial(HistoryStore.delete, session=session))
            self._note(lambda: self._restore(going), told)

    def join(self, sessions: Sequence[int], begins: Sequence[float], audio: str, told: str) -> None:
        """Make one session of several; `begins` are the seconds at which each begins in it."""
        made: list[int] = []
        self._going.update(sessions)
        self._archive.write(lambda store: made.append(store.join(sessions, begins, audio)))
        self._archive.ask(lambda store: made[-1] if made else 0, self.joined.emit)

        def delete(store: HistoryStore) -> None:
            for each in made:
                store.delete(each)

        def part() -> None:
            self._archive.write(delete)
            self._restore(sessions)

        self._note(part, told)

    def correct(self, session: int, caption: int, text: str | None, before: str | None, told: str) -> None:
        """Change the text of a caption from `before` to `text`; None is the text as it was heard."""
        self.correct_several(session, {caption: text}, {caption: before}, told)

    def correct_several(
        self, session: int, texts: Mapping[int, str | None], before: Mapping[int, str | None], told: str
    ) -> None:
        """Change the texts of captions by their ids, as `correct` does."""
        self._correct(session, texts)
        self._note(lambda: self._correct(session, before), told)

    def mark(self, session: int, seconds: Sequence[float], before: Sequence[float], told: str) -> None:
        """Change the marked seconds of a session from `before` to `seconds`."""
        self._mark(session, seconds)
        self._note(lambda: self._mark(session, before), told)

    def name_speakers(self, session: int, names: Mapping[int, str], before: Mapping[int, str], told: str) -> None:
        """Change the speakers of captions from `before` to `names`, both by the captions' ids."""
        self._name_speakers(session, names)
        self._note(lambda: self._name_speakers(session, before), told)

    def name_words(self, session: int, names: Mapping[int, Sequence[str]], before: str, told: str) -> None:
        """Name the speaker of each word of captions, all of `before`, and split captions that have several."""
        split: list[SplitCaption] = []

        def name(store: HistoryStore) -> None:
            split.extend(store.split_captions(session, names))
            store.name_speakers(session, {part: said for each in split for part, said in each.speakers.items()})

        def join(store: HistoryStore) -> None:
            store.mend_captions(session, split)
            store.name_speakers(session, {each.number: before for each in split})

        self._archive.write(name)
        self.corrected.emit(session)

        def back() -> None:
            self._archive.write(join)
            self.corrected.emit(session)

        self._note(back, told)

    def undo(self) -> None:
        """Undo the newest change, if there is one."""
        if self._ways_back:
            self._ways_back.pop()()
            self.undone.emit()

    def _note(self, way_back: Callable[[], None], told: str) -> None:
        self._ways_back = [*self._ways_back, way_back][-MOST_WAYS_BACK:]
        self.made.emit(told)

    def _restore(self, sessions: Sequence[int]) -> None:
        self._going.difference_update(sessions)
        for session in sessions:
            self._archive.write(partial(HistoryStore.restore, session=session))
        self.restored.emit(tuple(sessions))

    def _name_speakers(self, session: int, names: Mapping[int, str]) -> None:
        self._archive.write(lambda store: store.name_speakers(session, names))
        self.corrected.emit(session)

    def _mark(self, session: int, seconds: Sequence[float]) -> None:
        self._archive.write(lambda store: store.set_marks(session, seconds))
        self.corrected.emit(session)

    def _correct(self, session: int, texts: Mapping[int, str | None]) -> None:
        def write(store: HistoryStore) -> None:
            for caption, text in texts.items():
                store.correct(session, caption, text)

        self._archive.write(write)
        self.corrected.emit(session)
