"""Captions that are offered when another program begins to listen: a meeting that somebody might forget to caption."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from app.actions import Actions
from app.preferences.preferences import MeetingOptions, Preferences
from app.preferences.settings import Settings
from app.sound import device_events
from app.sound.recorders import recorders

SETTLE_SECONDS = 5.0
"""Time for which a program has to record before captions are offered: a test of a microphone is shorter."""

REST_SECONDS = 60.0
"""Time after a no in which nothing is offered."""

COLLECT_MILLISECONDS = 200
LOOK_MILLISECONDS = 2_000
"""Interval at which a Mac is asked, which sends no events of this."""


class Offers:
    """Decides when captions are offered, by the programs that record and the present second."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}
        self._done: set[str] = set()  # offered already, since they began
        self._rests_until = 0.0

    def see(self, names: Collection[str], now: float) -> None:
        """Compare the programs that record now with those before."""
        self._since = {name: self._since.get(name, now) for name in names}
        self._done &= self._since.keys()

    def due(self, now: float, options: MeetingOptions) -> str:
        """Return the program that has recorded long enough and was not offered yet; empty if there is none."""
        for name, since in self._since.items():
            if now - since >= SETTLE_SECONDS and name not in self._done:
                self._done.add(name)
                if name not in options.left_out and (name in options.allowed or now >= self._rests_until):
                    return name
        return ""

    def wait_seconds(self, now: float) -> float | None:
        """Return the time until something may be due; None if nothing is expected."""
        waits = [SETTLE_SECONDS - (now - since) for name, since in self._since.items() if name not in self._done]
        return max(min(waits), 0.0) if waits else None

    def decline(self, now: float) -> None:
        """Note a no."""
        self._rests_until = now + REST_SECONDS


class Meetings(QObject):
    """Watches which other programs record, as long as the preferences ask for it.

    Nothing is recorded for it: the sound server, or macOS, is asked for the names of programs.

    Signals:
        offered: the name of a program that records; captions could be started.
        withdrawn: the name of a program whose offer no longer applies.
        started: the name of a program that the user has allowed to start captions, which it did.
    """

    offered = Signal(str)
    withdrawn = Signal(str)
    started = Signal(str)
    _news_came = Signal()
    _found = Signal(object)

    def __init__(
        self,
        settings: Settings,
        actions: Actions,
        is_busy: Callable[[], bool],
        parent: QObject | None = None,
        look: Callable[[], Collection[str]] = recorders,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Watch for programs that record; `is_busy` returns whether captions run already."""
        super().__init__(parent)
        self._settings = settings
        self._actions = actions
        self._is_busy = is_busy
        self._look = look
        self._clock = clock
        self._offers = Offers()
        self._names: frozenset[str] = frozenset()
        self._offered = ""
        self._started_by = ""
        self._runs = False
        self._collect = QTimer(self, singleShot=True, interval=COLLECT_MILLISECONDS)
        self._collect.timeout.connect(self._ask)
        self._again = QTimer(self, interval=LOOK_MILLISECONDS)
        self._again.timeout.connect(self._ask)
        self._settle = QTimer(self, singleShot=True)
        self._settle.timeout.connect(self._decide)
        self._news_came.connect(self._collect.start)
        self._found.connect(self.see)
        settings.changed.connect(self._follow)

    def start(self) -> None:
        """Start watching, if the preferences ask for it."""
        self._run(self._settings.preferences.meetings.offers)

    def stop(self) -> None:
        """Stop watching."""
        self._run(False)

    def see(self, names: Collection[str]) -> None:
        """Compare the programs that record now with those before."""
        gone = self._names - frozenset(names)
        self._names = frozenset(names)
        self._offers.see(self._names, self._clock())
        if self._offered in gone:
            self._withdraw()
        if self._started_by in gone:
            self._started_by = ""
            self._actions.stop.trigger()
        self._decide()

    def accept(self) -> None:
        """Start the captions that are offered."""
        self._withdraw()
        self._actions.start.trigger()

    def decline(self) -> None:
        """Offer nothing for a while."""
        self._offers.decline(self._clock())
        self._withdraw()

    def leave_out(self) -> None:
        """Leave the offered program out from now on."""
        name = self._offered
        self._withdraw()
        if name:
            self._settings.alter(lambda now: _without(now, name))

    def _decide(self) -> None:
        options = self._settings.preferences.meetings
        now = self._clock()
        if self._runs and (name := self._offers.due(now, options)) and not self._is_busy():
            if name in options.allowed:
                self._started_by = name
                self._actions.start.trigger()
                self.started.emit(name)
            else:
                self._withdraw()
                self._offered = name
                self.offered.emit(name)
        if (wait := self._offers.wait_seconds(self._clock())) is not None:
            self._settle.start(round(1000 * wait) + 1)

    def _withdraw(self) -> None:
        name, self._offered = self._offered, ""
        if name:
            self.withdrawn.emit(name)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.meetings.offers != after.meetings.offers:
            self._run(after.meetings.offers)

    def _run(self, runs: bool) -> None:
        if runs == self._runs:
            return
        self._runs = runs
        if runs:
            device_events.add(self._tell, device_events.News.RECORDINGS)
            if sys.platform == "darwin":
                self._again.start()
            self._ask()
        else:
            device_events.remove(self._tell)
            for timer in (self._collect, self._again, self._settle):
                timer.stop()
            self._started_by = ""
            self.see(())

    def _tell(self) -> None:
        self._news_came.emit()

    def _ask(self) -> None:
        """Ask on a thread, since a server may be slow to answer."""
        threading.Thread(target=lambda: self._found.emit(self._look()), name="recorders", daemon=True).start()


def _without(preferences: Preferences, name: str) -> Preferences:
    meetings = preferences.meetings
    return replace(preferences, meetings=replace(meetings, left_out=(*meetings.left_out, name)))
