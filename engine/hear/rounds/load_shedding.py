"""What is left out on a machine that is too slow, so that captions stay near to what is being said.

Captions, candidates, context and translation share one budget: how far captions fall behind, from what the round
before had heard to what one shows. Steps grow with the cost of a round at any time (engine.hear.rounds.schedule). Where
that is not enough, work is shed in the order of `Shed`: from three seconds behind on translations wait for a pause and
there is one candidate; then steps grow on; from four seconds on rounds hear less again, and at last nothing again. Only
where a second of sound takes more than a second even so, or so nearly a second that captions stay far too late, sound
that is too old is not heard at all.

What was shed comes back in the opposite order, each after a while in which there was time to spare. Where it has to go
again soon afterwards, that while doubles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.events import Shed

BEHIND_SECONDS = 5.0
"""Captions are to fall no further behind."""

LEAST_LOAD = 0.5
"""A round that took less than this share of the sound that was new to it only catches up with a stretch of sound that
has piled up: the machine is not slow."""

WARNING = 0.5
"""A single late round may have shared the machine with something else. It counts where the one before it was as late as
this share of what is late."""

CALM_SECONDS, MOST_CALM_SECONDS = 15.0, 240.0
LEAST_KEPT_SECONDS = 1.0

FIRST_SECONDS, ROUND_SECONDS = 5.0, 10.0
"""What has piled up, while a model was loaded for example, is heard in parts: so much at first, when it is not known
how long that takes, then as much as takes no longer than this, if that is more."""

LEAST_WAITING_SECONDS = 0.5

MOST_BEHIND_SECONDS = 1.5 * BEHIND_SECONDS
"""Where rounds keep real time so narrowly that captions are later than this again and again, some sound is not heard
either, although all could be."""

LESS_HEARD, LESS_COST = 0.75, 0.85
"""A round that hears less than this share of what one before it heard is to cost less than that share of it. With a
model that takes as long whatever it hears it does not, and nothing is won by hearing less."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits beyond which something is shed, and below which it comes back.

    Attributes:
        late_seconds: how far captions fall behind without it.
        calm_seconds: how far at the most with it.
        most_pace: from this Load.pace on it is of no use, and what follows is shed at once.
    """

    late_seconds: float
    calm_seconds: float
    most_pace: float = math.inf


LIMITS: Mapping[Shed, Limits] = MappingProxyType(
    {
        Shed.TRANSLATION: Limits(3.0, 2.0),  # it makes rounds half as rare again
        Shed.CANDIDATES: Limits(3.0, 1.5),
        Shed.CONTEXT: Limits(4.0, 2.0, most_pace=0.4),
        Shed.REHEARING: Limits(4.0, 1.5),
        Shed.AUDIO: Limits(4.0, BEHIND_SECONDS),
    }
)


@dataclass(frozen=True, slots=True)
class Load:
    """Load of one round.

    Attributes:
        new_seconds: sound that no round had heard before it.
        heard_seconds: all that it heard.
        waiting_seconds: sound that was there already and that it did not hear.
        cost_seconds: computation.
    """

    new_seconds: float
    heard_seconds: float
    waiting_seconds: float
    cost_seconds: float

    @property
    def behind_seconds(self) -> float:
        """Tell how far captions were behind just before they showed what it had heard, or will be with the next round.

        That one hears what comes during this one, and again what this one has heard again.
        """
        following = self.cost_seconds + self.pace * (self.heard_seconds - self.new_seconds + self.cost_seconds)
        return self.waiting_seconds + max(self.new_seconds + self.cost_seconds, following)

    @property
    def is_loaded(self) -> bool:
        """Tell whether it took long for what was new to it."""
        return self.cost_seconds > LEAST_LOAD * self.new_seconds

    @property
    def is_hopeless(self) -> bool:
        """Tell whether rounds like it never keep real time."""
        loses_ground = self.waiting_seconds > LEAST_WAITING_SECONDS and self.cost_seconds >= self.new_seconds
        return self.pace >= 1 or loses_ground

    @property
    def is_narrow(self) -> bool:
        """Tell whether captions are far too late with rounds like it, though nothing has piled up."""
        return self.waiting_seconds <= LEAST_WAITING_SECONDS and self.behind_seconds > MOST_BEHIND_SECONDS

    @property
    def pace(self) -> float:
        """Give the seconds of computation for a second of what it heard; from 1 on no round keeps real time."""
        return self.cost_seconds / max(self.heard_seconds, 0.1)


_NO_LOAD = Load(0.0, 1.0, 0.0, 0.0)


class LoadShedding:
    """Judge of what is shed, round by round.

    Attributes:
        shed: what is left out, with all that comes before it.
    """

    def __init__(self, *, has_candidates: bool) -> None:
        """Shed nothing yet; `has_candidates` where there are several to be reduced to one."""
        self.shed = Shed.NOTHING
        self._has_candidates = has_candidates
        self._newest = _NO_LOAD
        self._calm_since: float | None = None
        self._wait_seconds = CALM_SECONDS
        self._restored_at: float | None = None
        self._narrow: Load | None = None  # the round for which sound began to be left out, though all could be heard
        self._costs_alike = False  # rounds take as long whatever they hear

    @property
    def kept_seconds(self) -> float:
        """Tell how much of the newest sound can be heard in time, where older sound is not heard at all."""
        newest = self._newest  # to hear less than it did takes a share of what it took, or as long where all cost alike
        no_longer = min(newest.heard_seconds, BEHIND_SECONDS - newest.cost_seconds)
        return max(LEAST_KEPT_SECONDS, no_longer, BEHIND_SECONDS / (1 + newest.pace))

    @property
    def most_new_seconds(self) -> float:
        """Tell how much sound that is new to it the next round had best hear."""
        if self._newest is _NO_LOAD:
            return FIRST_SECONDS
        return max(FIRST_SECONDS, ROUND_SECONDS / max(self._newest.pace, 0.01))

    def take(self, load: Load, now_seconds: float, *, translates: bool) -> bool:
        """Learn what one more round cost; give whether that changes what is shed. Clocks count the sound."""
        before, shed = self._newest, self.shed
        self._newest = load
        if self._left_out_in_vain(load):
            self.shed, self._narrow, self._costs_alike = Shed.REHEARING, None, True
            return True
        hopeless = before.is_hopeless and load.is_hopeless
        if self.shed is Shed.REHEARING and before.is_narrow and load.is_narrow and not self._costs_alike:
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

    def _left_out_in_vain(self, load: Load) -> bool:
        """Tell whether a round took as long as the one for which sound began to be left out, though it heard less."""
        narrow = self._narrow
        if narrow is None or self.shed is not Shed.AUDIO or load.heard_seconds > LESS_HEARD * narrow.heard_seconds:
            return False
        return load.cost_seconds > LESS_COST * narrow.cost_seconds

    def _useful(self, translates: bool) -> list[Shed]:
        """Return what can be shed at all, in order."""
        idle = {Shed.TRANSLATION: not translates, Shed.CANDIDATES: not self._has_candidates}
        return [each for each in LIMITS if not idle.get(each)]

    def _following(self, pace: float, translates: bool, *, hopeless: bool) -> Shed | None:
        """Name what is shed next where captions are late: nothing that is of no use."""
        for each in self._useful(translates):
            helps = hopeless == (each is Shed.AUDIO) if each >= Shed.CONTEXT else True
            if each > self.shed and helps and pace < LIMITS[each].most_pace:
                return each
        return None

    def _go_without(self, following: Shed, now_seconds: float) -> None:
        """Shed more; where the last of it came back in vain, it comes back later the next time."""
        soon = self._restored_at is not None and now_seconds - self._restored_at < self._wait_seconds
        self._wait_seconds = min(2 * self._wait_seconds, MOST_CALM_SECONDS) if soon else CALM_SECONDS
        self._calm_since = self._restored_at = None
        self.shed = following

    def _rest(self, now_seconds: float, translates: bool) -> None:
        """There is time to spare: after a while of that, shed less."""
        if self._calm_since is None:
            self._calm_since = now_seconds
        elif now_seconds - self._calm_since >= self._wait_seconds:
            self._calm_since, self._restored_at = None, now_seconds
            self.shed = max((each for each in self._useful(translates) if each < self.shed), default=Shed.NOTHING)
