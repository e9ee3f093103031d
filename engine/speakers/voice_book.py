"""The voices of a stream that goes on: groups of voice prints, whose names stay while the groups grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.events import KnownVoice
from engine.speakers.clustering import groups, merges
from engine.speakers.diarization import FARTHEST, LEAST_SHARE, SURE_SECONDS
from engine.speakers.voice_prints import VoicePrint, mean_print

NEW_VOICE_SECONDS = 1.6
"""Shortest speech of a voice that is taken for a new one. Chosen in LOG 2026-11-28."""

LEAST_LIKENESS = 0.4
"""Least cosine of a voice print and a voice that is said to be the same. Chosen in LOG 2026-11-28."""

MOST_PRINTS = 400
"""Most prints that are grouped; beyond that every other old one is left out."""

KNOWN_SECONDS = 10.0
"""Speech that a known voice counts for."""


@dataclass(frozen=True, slots=True)
class _Print:
    """A voice print, the seconds it was made of, and the name that it has now; empty if none."""

    values: VoicePrint
    seconds: float
    name: str = ""
    known: bool = False


class VoiceBook:
    """Names voices by their prints, a window after the other.

    All prints so far are grouped again with each window, as those of a recording are. A group keeps the name that most
    of its prints had before.
    """

    def __init__(self, name: Callable[[int], str], known: Sequence[KnownVoice] = ()) -> None:
        """Name the nth new voice by `name(n)`, from 1 on, unless a `known` one has that name already."""
        self._name = name
        self._prints = [
            _Print(np.frombuffer(each.voice_print, np.float32), KNOWN_SECONDS, each.name, known=True) for each in known
        ]
        self._taken = {each.name for each in known}
        self._voices: dict[str, VoicePrint] = {}
        self._regroup()

    def voice(self, name: str) -> bytes:
        """Return the print of a voice, as in KnownVoice; empty if there is none of that name."""
        return self._voices[name].tobytes() if name in self._voices else b""

    def add(self, prints: Sequence[tuple[VoicePrint, float]]) -> None:
        """Add the prints of a window, each with the seconds it was made of."""
        sure = [_Print(values, seconds) for values, seconds in prints if seconds >= SURE_SECONDS]
        if sure:
            self._prints += sure
            if len(self._prints) > MOST_PRINTS:
                self._thin()
            self._regroup()

    def names(self, prints: Sequence[VoicePrint | None]) -> list[str]:
        """Return the name of each print; empty where none is sure."""
        return ["" if print_ is None else self._name_of(print_) for print_ in prints]

    def _name_of(self, print_: VoicePrint) -> str:
        likeness, name = max(((float(print_ @ voice), name) for name, voice in self._voices.items()), default=(0.0, ""))
        return name if likeness >= LEAST_LIKENESS else ""

    def _thin(self) -> None:
        """Leave out every other print of the older half, but no known voice."""
        half = len(self._prints) // 2
        self._prints = [each for at, each in enumerate(self._prints) if at >= half or at % 2 or each.known]

    def _regroup(self) -> None:
        """Group all prints, name each group, and keep the mean of each."""
        self._voices = {}
        if not self._prints:
            return
        values = np.stack([each.values for each in self._prints])
        seconds = np.array([each.seconds for each in self._prints])
        labels = groups(merges(1 - values @ values.T), len(values), farthest=FARTHEST)
        for group, name in self._named_groups(labels, seconds).items():
            inside = labels == group
            self._prints = [
                _Print(each.values, each.seconds, each.name if each.known else name, each.known) if here else each
                for each, here in zip(self._prints, inside, strict=True)
            ]
            self._voices[name] = mean_print(list(values[inside]), list(seconds[inside]))

    def _named_groups(self, labels: NDArray[np.intp], seconds: NDArray[np.float64]) -> dict[int, str]:
        """Return the name of each group that is large enough for a voice, in order of its number."""
        talk = np.bincount(labels, seconds)
        enough = max(NEW_VOICE_SECONDS, LEAST_SHARE * float(talk.sum()))
        shares = dict[tuple[int, str], float]()
        for each, label in zip(self._prints, labels, strict=True):
            if each.name:
                weight = each.seconds + (KNOWN_SECONDS**2 if each.known else 0.0)  # a known voice keeps its name
                shares[int(label), each.name] = shares.get((int(label), each.name), 0.0) + weight
        named = dict[int, str]()
        for group, name in sorted(shares, key=lambda key: -shares[key]):
            if group not in named and name not in named.values():
                named[group] = name
        for group in range(len(talk)):
            if group not in named and talk[group] >= enough:
                named[group] = self.new_name()
        return dict(sorted(named.items()))

    def new_name(self) -> str:
        """Return the first name that no voice has."""
        number = 1
        while (name := self._name(number)) in self._taken:
            number += 1
        self._taken.add(name)
        return name
