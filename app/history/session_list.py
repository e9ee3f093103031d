"""The sessions as a list, day by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QDate,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.history.kept.caption_table import EXCERPT_CHARACTERS
from app.history.records import Session
from app.history.source_names import source_in_window_language
from app.look.language_names import language_name
from app.models.uses import title_of

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class SessionRole(IntEnum):
    """Data of a row beside its text: the Session, or None for a day; and its second line."""

    SESSION = Qt.ItemDataRole.UserRole
    ABOUT = Qt.ItemDataRole.UserRole + 1


class SessionList(QAbstractListModel):
    """Holds sessions, the newest first, each day's below its name."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Session | QDate] = []

    @property
    def sessions(self) -> tuple[Session, ...]:
        return tuple(each for each in self._rows if isinstance(each, Session))

    def show(self, sessions: Sequence[Session]) -> None:
        """Show these sessions; if they are the same as before, update those that changed."""
        rows: list[Session | QDate] = []
        last = None
        for session in sessions:
            day = date.fromtimestamp(session.began)  # Qt takes four times as long, which shows with thousands
            if day != last:
                rows.append(QDate(day.year, day.month, day.day))
                last = day
            rows.append(session)
        if len(rows) == len(self._rows) and list(map(_key, rows)) == list(map(_key, self._rows)):
            for row, (before, after) in enumerate(zip(self._rows, rows, strict=True)):
                if before != after:
                    self._rows[row] = after
                    self.dataChanged.emit(self.index(row), self.index(row), [])
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def session_at(self, index: Index) -> Session | None:
        """Return the session of a row; None if it is a day or nothing."""
        if not (index.isValid() and index.row() < len(self._rows)):
            return None
        row = self._rows[index.row()]
        return row if isinstance(row, Session) else None

    def row_of(self, session: int) -> int:
        """Return the row of a session; -1 if there is none."""
        found = (row for row, each in enumerate(self._rows) if isinstance(each, Session) and each.id == session)
        return next(found, -1)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.session_at(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not (index.isValid() and index.row() < len(self._rows)):
            return None
        row = self._rows[index.row()]
        if isinstance(row, QDate):
            return self.day_name(row) if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title_of(row)
        if role == SessionRole.SESSION:
            return row
        if role in (SessionRole.ABOUT, Qt.ItemDataRole.AccessibleDescriptionRole):
            return self.about(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.title_of(row)}, {self.about(row)}"
        return None

    def title_of(self, session: Session) -> str:
        """Return the title of a session."""
        usual = self.tr("Conversation") if session.kind == "conversation" else self.tr("Captions")
        title = " ".join(session.title.split())
        is_cut = not session.name and len(session.excerpt) >= EXCERPT_CHARACTERS
        return f"{title}…" if is_cut else title or usual

    def about(self, session: Session) -> str:
        """Return when it was, how long it is, and how it ended."""
        time = QLocale().toString(_moment(session).time(), QLocale.FormatType.ShortFormat)
        parts = [time, self.duration(session.seconds)]
        if session.is_running:
            is_talk = session.kind == "conversation"
            parts[1:] = [self.tr("still open") if is_talk else self.tr("being recorded")]
        elif session.hits:
            parts.append(self.tr("1 match") if session.hits == 1 else self.tr("{} matches").format(session.hits))
        elif session.crashed:
            parts.append(self.tr("ended unexpectedly"))
        else:
            parts += [source_in_window_language(session.source)] if session.source else []
        return " · ".join(parts)

    def details(self, session: Session, *, model: bool = True) -> str:
        """Return everything known about a session, in one line; its `model` only if details are wanted."""
        when = _moment(session)
        moment = QLocale().toString(when.date(), QLocale.FormatType.LongFormat)
        time = QLocale().toString(when.time(), QLocale.FormatType.ShortFormat)
        used = title_of(session.model) if model else ""
        source = source_in_window_language(session.source)
        parts = [moment, time, self.duration(session.seconds), source, used]
        if session.language:
            spoken = language_name(session.language)
            parts.append(f"{spoken} → {language_name(session.target)}" if session.target else spoken)
        return " · ".join(each for each in parts if each)

    def duration(self, seconds: float) -> str:
        """Write a duration in words."""
        minutes = round(seconds / 60)
        if seconds < 60:
            return self.tr("{} s").format(round(seconds))
        if minutes < 60:
            return self.tr("{} min").format(minutes)
        return self.tr("{} h {} min").format(minutes // 60, minutes % 60)

    def day_name(self, day: QDate) -> str:
        """Return the usual name of a day."""
        ago = day.daysTo(QDate.currentDate())
        if ago == 0:
            return self.tr("Today")
        if ago == 1:
            return self.tr("Yesterday")
        return QLocale().toString(day, QLocale.FormatType.LongFormat)


def _moment(session: Session) -> QDateTime:
    return QDateTime.fromSecsSinceEpoch(int(session.began))


def _key(row: Session | QDate) -> object:
    return row.id if isinstance(row, Session) else row
