"""Load shedding on a machine that is too slow, so that captions stay close to the speech.

Captions, candidates, context and translation share one budget: the delay of captions, from the audio of the last round
until a round is shown. Steps grow with the cost of a round at any time (engine.hear.rounds.schedule). If that is not
enough, work is left out in the order of `LoadShed`: from three seconds of delay on, translations wait for a pause and
one candidate is decoded; then steps grow further; from four seconds on, rounds recognize less audio again, and at last
none. Audio that is too old is skipped only if a second of audio still takes more than a second, or so nearly a second
that captions stay far too late.

Work is restored in the opposite order, each level after a while with time to spare. If it has to be left out again soon
afterwards, that while doubles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.events import LoadShed

BEHIND_SECONDS = 5.0
"""Longest delay of captions, in seconds."""

LEAST_LOAD = 0.5
"""Least load of a slow machine. A round with less computation per second of new audio only catches up with a
backlog.
"""

WARNING = 0.5
"""Share of the limit that the round before a late one must reach as well: a single late round may be a coincidence."""

CALM_SECONDS, MOST_CALM_SECONDS = 15.0, 240.0
LEAST_KEPT_SECONDS = 1.0

FIRST_SECONDS, ROUND_SECONDS = 5.0, 10.0
"""Audio of a backlog, as after loading a model, is recognized in parts: at first this much, while its cost is unknown,
then as much as takes this long, if that is more.
"""

LEAST_WAITING_SECONDS = 0.5

MOST_BEHIND_SECONDS = 1.5 * BEHIND_SECONDS
"""Longest delay of captions on a machine that barely keeps real time. Beyond it some audio is skipped, although all
could be recognized.
"""

LESS_HEARD, LESS_COST = 0.75, 0.85
"""A round with less than this share of an earlier round's audio should cost less than that share of its cost. With a
model whose cost is constant it does not, and less audio saves nothing.
"""


@dataclass(frozen=True, slots=True)
class ShedLimits:
    """The delays at which work is left out, and restored.

    Attributes:
        late_seconds: delay of captions at which it is left out.
        calm_seconds: most delay at which it is restored.
        most_pace: value of RoundLoad.pace from which on it does not help, so that the next level is used at once.
    """

    late_seconds: float
    calm_seconds: float
    most_pace: float = math.inf


LIMITS: Mapping[LoadShed, ShedLimits] = MappingProxyType(
    {
        LoadShed.TRANSLATION: ShedLimits(3.0, 2.0),  # it makes rounds half as rare again
        LoadShed.CANDIDATES: ShedLimits(3.0, 1.5),
        LoadShed.CONTEXT: ShedLimits(4.0, 2.0, most_pace=0.4),
        LoadShed.REHEARING: ShedLimits(4.0, 1.5),
        LoadShed.AUDIO: ShedLimits(4.0, BEHIND_SECONDS),
    }
)


@dataclass(frozen=True, slots=True)
class RoundLoad:
    """The load of one round.

    Attributes:
        new_seconds: audio that no round had recognized before it.
        heard_seconds: all of its audio.
        waiting_seconds: audio that had arrived and was left for later.
        cost_seconds: computation.
    """

    new_seconds: float
    heard_seconds: float
    waiting_seconds: float
    cost_seconds: float

    @property
    def behind_seconds(self) -> float:
        """Delay of captions just before this round was shown, or that of the next round, if larger.

        The next round processes the audio that arrives during this one, and again this one's repeated audio.
        """
        following = self.cost_seconds + self.pace * (self.heard_seconds - self.new_seconds + self.cost_seconds)
        return self.waiting_seconds + max(self.new_seconds + self.cost_seconds, following)

    @property
    def is_loaded(self) -> bool:
        """Return whether the round took long for its new audio."""
        return self.cost_seconds > LEAST_LOAD * self.new_seconds

    @property
    def is_hopeless(self) -> bool:
        """Return whether rounds like it never keep real time."""
        loses_ground = self.waiting_seconds > LEAST_WAITING_SECONDS and self.cost_seconds >= self.new_seconds
        return self.pace >= 1 or loses_ground

    @property
    def is_narrow(self) -> bool:
        """Return whether captions are far too late with rounds like it, although there is no backlog."""
        return self.waiting_seconds <= LEAST_WAITING_SECONDS and self.behind_seconds > MOST_BEHIND_SECONDS

    @property
    def pace(self) -> float:
        """Computation per second of audio; from 1 on no round keeps real time."""
        return self.cost_seconds / max(self.heard_seconds, 0.1)


_NO_LOAD = RoundLoad(0.0, 1.0, 0.0, 0.0)


class LoadShedding:
    """Decides what is left out, round by round.

    Attributes:
        shed: the present level, which includes all before it.
    """

    def __init__(self, *, has_candidates: bool) -> None:
        """Start with everything; `has_candidates`: there are several candidates that could be reduced to one."""
        self.shed = LoadShed.NOTHING
        self._has_candidates = has_candidates
        self._newest = _NO_LOAD
        self._calm_since: float | None = None
        self._wait_seconds = CALM_SECONDS
        self._restored_at: float | None = None
        self._narrow: RoundLoad | None = None  # the round since which audio is skipped
        self._costs_alike = False  # the cost of rounds does not depend on their audio

    @property
    def kept_seconds(self) -> float:
        """Newest audio that can be recognized in time, in seconds, when older audio is skipped."""
        newest = self._newest  # less audio takes a share of its cost, or all of it if the cost is constant
        no_longer = min(newest.heard_seconds, BEHIND_SECONDS - newest.cost_seconds)
        return max(LEAST_KEPT_SECONDS, no_longer, BEHIND_SECONDS / (1 + newest.pace))

    @property
    def most_new_seconds(self) -> float:
        """Most new audio that the next round should process, in seconds."""
        if self._newest is _NO_LOAD:
            return FIRST_SECONDS
        return max(FIRST_SECONDS, ROUND_SECONDS / max(self._newest.pace, 0.01))

    def add_round(self, load: RoundLoad, now_seconds: float, *, translates: bool) -> bool:
        """Record the load of a round; return whether the level changes. Clocks count the audio."""
        before, shed = self._newest, self.shed
        self._newest = load
        if self._left_out_in_vain(load):
            self.shed, self._narrow, self._costs_alike = LoadShed.REHEARING, None, True
            return True
        hopeless = before.is_hopeless and load.is_hopeless
        if self.shed is LoadShed.REHEARING and before.is_narrow and load.is_narrow and not self._costs_alike:
            hopeless, self._narrow = True, load
        following = self._following(min(before.pace, load.pace), translates, hopeless=hopeless)
        if following is not None and load.is_loaded and load.behind_seconds > LIMITS[following].late_seconds:
            if shed or before.behind_seconds > WARNING * LIMITS[following].late_seconds:
                self._go_without(following, now_seconds)
        elif shed and not load.is_hopeless and load.behind_seconds < LIMITS[shed].calm_seconds:
            self._rest(now_seconds, translates)
        else:
            self._calm_since = None
        return self.shed != shed

    def _left_out_in_vain(self, load: RoundLoad) -> bool:
        """Return whether a round with less audio took as long as the one at which audio began to be skipped."""
        narrow = self._narrow
        if narrow is None or self.shed is not LoadShed.AUDIO or load.heard_seconds > LESS_HEARD * narrow.heard_seconds:
            return False
        return load.cost_seconds > LESS_COST * narrow.cost_seconds

    def _useful(self, translates: bool) -> list[LoadShed]:
        """Return the levels that have an effect, in order."""
        idle = {LoadShed.TRANSLATION: not translates, LoadShed.CANDIDATES: not self._has_candidates}
        return [each for each in LIMITS if not idle.get(each)]

    def _following(self, pace: float, translates: bool, *, hopeless: bool) -> LoadShed | None:
        """Return the next level while captions are late, without those that do not help."""
        for each in self._useful(translates):
            helps = hopeless == (each is LoadShed.AUDIO) if each >= LoadShed.CONTEXT else True
            if each > self.shed and helps and pace < LIMITS[each].most_pace:
                return each
        return None

    def _go_without(self, following: LoadShed, now_seconds: float) -> None:
        """Leave out more; if the level was restored only recently, it is restored later the next time."""
        soon = self._restored_at is not None and now_seconds - self._restored_at < self._wait_seconds
        self._wait_seconds = min(2 * self._wait_seconds, MOST_CALM_SECONDS) if soon else CALM_SECONDS
        self._calm_since = self._restored_at = None
        self.shed = following

    def _rest(self, now_seconds: float, translates: bool) -> None:
        """Restore work after a while with time to spare."""
        if self._calm_since is None:
            self._calm_since = now_seconds
        elif now_seconds - self._calm_since >= self._wait_seconds:
            self._calm_since, self._restored_at = None, now_seconds
            self.shed = max((each for each in self._useful(translates) if each < self.shed), default=LoadShed.NOTHING)
