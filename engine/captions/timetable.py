"""Schedule of rounds: when the next one is due, by the costs of those before, and what a slow machine leaves out."""

from __future__ import annotations

import math

from engine.events import LoadShed
from engine.hear.rounds.load_shedding import LoadShedding, RoundLoad
from engine.hear.rounds.schedule import RoundSchedule
from engine.hear.rounds.transcriber import Round
from engine.options import MAX_BUFFER_SECONDS, CaptionOptions

ROUNDS_AT_ONCE = 2
"""Rounds that a pipeline works on at once: each takes half of its time from the others."""

TRANSLATION_SHARE = 0.5
"""Least time for translation after a round, as a share of the round's cost: on a machine where rounds fill all the
time, translations would otherwise appear when everything is over."""


class Timetable:
    """The rounds of a session in time. All seconds are those of its audio, which begins at `start_seconds`.

    Attributes:
        due_seconds: when the next round is due.
        heard_seconds: end of the audio of the newest round whose words counted.
        tried_seconds: end of the audio that the newest round heard, or that was left out.
    """

    def __init__(self, options: CaptionOptions, *, live: bool, start_seconds: float = 0.0) -> None:
        """Begin there; a `live` session sheds work if there is too little time."""
        self._schedule = RoundSchedule(options.step_seconds, follows_cost=options.step_follows_cost)
        self._shedding = LoadShedding(has_candidates=options.decode.beam_size > 1) if live else None
        self.due_seconds = start_seconds + self._schedule.step_seconds
        self.heard_seconds = self.tried_seconds = start_seconds
        self._beside_seconds = 0.0  # what was computed for other streams since the last round

    @property
    def shed(self) -> LoadShed:
        """Return what is left out now, since the machine is too slow."""
        return LoadShed.NOTHING if self._shedding is None else self._shedding.shed

    @property
    def kept_seconds(self) -> float:
        """Return how much of the newest audio is kept if some is left out; all of it if nothing is shed."""
        return math.inf if self._shedding is None else self._shedding.kept_seconds

    def note_beside(self, seconds: float) -> None:
        """Count computation for another stream that is heard beside this one."""
        self._beside_seconds += seconds

    def begin(self, seconds: float) -> None:
        """Schedule the first round: a step after speech began."""
        self._beside_seconds = 0.0  # nothing waited for that
        self.wait_after(seconds)

    def wait_after(self, seconds: float) -> None:
        """Schedule the next round: a step after a moment."""
        self.due_seconds = seconds + self._schedule.step_seconds

    def target(self, reachable_seconds: float, buffer_begins: float) -> float:
        """Return the second at which the next round cuts the audio off: within reach, and within the buffer."""
        target = reachable_seconds
        if self._shedding is not None:
            target = min(target, max(self.tried_seconds, buffer_begins) + self._shedding.most_new_seconds)
        return min(target, buffer_begins + MAX_BUFFER_SECONDS)

    def add_round(
        self, result: Round, heard_until: float, waiting_seconds: float, cost_seconds: float, *, translates: bool
    ) -> LoadShed | None:
        """Learn from a round's cost, and put the next one off; return what is shed if that has changed."""
        beside, self._beside_seconds = self._beside_seconds, 0.0
        changed = self._shed_for(result, heard_until, waiting_seconds, cost_seconds + beside, translates)
        taken = cost_seconds * (1 + TRANSLATION_SHARE) if translates and not self.shed else cost_seconds
        self._schedule.add_cost(taken + beside)
        step = 0.0 if self.shed >= LoadShed.REHEARING else self._schedule.step_seconds
        self.due_seconds = heard_until + max(step, taken)
        return changed

    def add_overlapping_round(
        self, result: Round, heard_until: float, cost_seconds: float, *, translates: bool
    ) -> LoadShed | None:
        """Learn from a round that another overlapped; return what is shed if that has changed."""
        self._schedule.add_cost(cost_seconds / ROUNDS_AT_ONCE)
        return self._shed_for(result, heard_until, 0.0, cost_seconds, translates)

    def _shed_for(
        self, result: Round, heard_until: float, waiting_seconds: float, cost_seconds: float, translates: bool
    ) -> LoadShed | None:
        new = min(heard_until - self.tried_seconds, result.buffer_seconds)
        self.tried_seconds = heard_until
        if result.verdict == "heard":
            self.heard_seconds = heard_until
        if self._shedding is None:
            return None
        load = RoundLoad(new, result.buffer_seconds, waiting_seconds, cost_seconds)
        return self.shed if self._shedding.add_round(load, heard_until, translates=translates) else None
