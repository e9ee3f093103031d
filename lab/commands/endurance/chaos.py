"""Faults in random order: how many, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from app.terminal.tables import Cell
from lab.commands.endurance.campaign import Tally, Tell, Trials
from lab.commands.endurance.faults import FAULTS, NEEDS, OF_A_TAPE
from lab.commands.endurance.sound_faults import SOUND_FAULTS
from lab.commands.endurance.surroundings import what_is_missing
from lab.commands.endurance.trial import Plan

OUTSIDE = ("app killed", "computer slept")
FAULTS_PER_TRIAL = 20
LONGEST_SECONDS = 3600.0
KINDS = (*FAULTS, *SOUND_FAULTS)


def left_out(plan: Plan) -> dict[str, str]:
    """Return the faults of a plan that cannot be brought about here, and why."""
    missing = what_is_missing()
    if plan.speed != 1:
        missing["sound"] = "a microphone hears at the speed of time alone (--speed 1)"
    needs = NEEDS | dict.fromkeys(SOUND_FAULTS, "sound")
    return {name: missing[needs[name]] for name in plan.names or KINDS if needs.get(name) in missing}


def measure(faults: int, seed: int, folder: Path, plan: Plan, tell: Tell) -> Tally:
    """Bring about this many faults; every twentieth happens to the whole app, from outside.

    Args:
        plan: what all trials have in common.
    """
    random = Random(seed)
    trials = Trials(folder, tell)
    out = left_out(plan)
    names = [name for name in plan.names or KINDS if name not in out]
    of_sound = [name for name in names if name in SOUND_FAULTS]
    others = [name for name in names if name not in SOUND_FAULTS]
    left = faults
    while left > 0:
        count = min(left, FAULTS_PER_TRIAL)
        outside = random.choice(OUTSIDE) if count > 1 else ""
        inside = count - bool(outside)
        through_server = bool(of_sound) and (not others or random.random() < 0.5)
        possible = [name for name in names if name not in OF_A_TAPE] if through_server else others
        tried = replace(
            plan, seconds=LONGEST_SECONDS, faults=inside, names=tuple(possible), seed=random.randrange(1 << 30),
            through_server=through_server,
        )  # fmt: skip
        trials.run(tried, outside=outside, random=random)
        left -= count
    return trials.tally


def figures(tally: Tally) -> dict[str, Cell]:
    """Return the headline numbers: all but the first two must be 0, gaps where the machine is quick enough."""
    return {
        "faults": len(tally.faults),
        **tally.word_figures(),
        "orphans": tally.orphans,
        "stuck": sum(problem.startswith("stuck") for problem in tally.problems),
        "untold": sum(problem.startswith("untold") for problem in tally.problems),
        "longest_work_seconds": round(tally.longest_work_seconds, 3),
    }
