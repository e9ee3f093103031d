"""Faults in random order: how many, and what they cost."""

from __future__ import annotations

from pathlib import Path
from random import Random

from app.terminal.commands.bench.endurance.campaign import Tally, Tell, Trials
from app.terminal.commands.bench.endurance.faults import FAULTS
from app.terminal.commands.bench.endurance.trial import Plan
from engine.bench.tables import Cell

OUTSIDE = ("app killed", "computer slept")
FAULTS_PER_TRIAL = 20
LONGEST_SECONDS = 3600.0


def measure(faults: int, seed: int, folder: Path, plan: Plan, tell: Tell) -> Tally:
    """Have so many things go wrong; every twentieth happens to the whole app, from outside.

    Args:
        plan: what all trials have in common.
    """
    random = Random(seed)
    trials = Trials(folder, tell)
    left = faults
    while left > 0:
        count = min(left, FAULTS_PER_TRIAL)
        outside = random.choice(OUTSIDE) if count > 1 else ""
        inside = count - bool(outside)
        tried = Plan(
            folder="", manifest=plan.manifest, model=plan.model, seconds=LONGEST_SECONDS, speed=plan.speed,
            faults=inside, names=plan.names or tuple(FAULTS), seed=random.randrange(1 << 30),
            translates=plan.translates,
        )  # fmt: skip
        trials.run(tried, outside=outside, random=random)
        left -= count
    return trials.tally


def figures(tally: Tally) -> dict[str, Cell]:
    """The headline numbers: all but the first two must be 0, gaps where the machine is quick enough."""
    return {
        "faults": len(tally.faults),
        "words": tally.words,
        "lost_words": tally.kept.lost,
        "doubled_words": tally.kept.doubled,
        "unheard_words": tally.heard.lost,
        "heard_twice_words": tally.heard.doubled,
        "gaps": tally.gaps,
        "crashes": tally.crashes,
        "orphans": tally.orphans,
        "stuck": sum(problem.startswith("stuck") for problem in tally.problems),
        "longest_work_seconds": round(tally.longest_work_seconds, 3),
    }
