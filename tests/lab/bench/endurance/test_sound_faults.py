"""A microphone that is muted, unplugged or changed while it is captioned, and a sound server that dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models.catalogue import catalogue
from lab.commands.endurance.campaign import Trials
from lab.commands.endurance.sound_faults import SOUND_FAULTS
from lab.commands.endurance.trial import Plan
from lab.commands.private_sound_server import can_be_listened_to

pytestmark = pytest.mark.realtime


def test_what_happens_to_a_microphone_is_said_and_costs_no_word(tmp_path: Path) -> None:
    if any(catalogue()[name].local_folder() is None for name in ("starter", "starter-language")):
        pytest.skip("the starter models are not in this checkout")
    if not can_be_listened_to():
        pytest.skip("PulseAudio is not installed: apt install pulseaudio pulseaudio-utils libasound2-plugins")
    trials = Trials(tmp_path, lambda line: None)
    names, seconds = tuple(SOUND_FAULTS), 3600.0
    trials.run(
        Plan("", "", seconds=seconds, faults=4, names=names, seed=6, translates="", through_server=True),
    )
    tally = trials.tally
    assert len(tally.faults) == 4
    assert (tally.problems, tally.crashes, tally.orphans) == ([], 0, 0)
    assert (tally.kept.lost, tally.kept.doubled) == (0, 0)
