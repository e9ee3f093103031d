"""Energy of a computation: counted by the processor where that can be read (RAPL), else estimated from its time."""

from __future__ import annotations

from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
WATTS_A_CORE = 5.0
"""Power of a core of a laptop at work, beyond rest. An assumption: only ratios of estimates mean something."""


class EnergyCounter:
    """The energy that all processors of the machine have taken since the counter was made."""

    def __init__(self, powercap: Path = POWERCAP) -> None:
        """Begin at zero; `powercap` has a folder for each processor, and for parts of it."""
        folders = sorted(each for each in powercap.glob("*rapl:*") if each.name.count(":") == 1)
        self._begun = {each: _read(each / "energy_uj") for each in folders}
        self._most = {each: _read(each / "max_energy_range_uj") or 0 for each in folders}

    def joules(self) -> float | None:
        """Return the energy so far, other programs' included; None where no counter can be read."""
        taken = [self._taken(folder, begun) for folder, begun in self._begun.items()]
        known = [each for each in taken if each is not None]
        return sum(known) / 1e6 if known else None

    def _taken(self, folder: Path, begun: int | None) -> int | None:
        now = _read(folder / "energy_uj")
        if now is None or begun is None:
            return None
        return (
            now - begun if now >= begun else now - begun + self._most[folder]
        )  # it begins again at its largest number


def estimated_joules(processor_seconds: float) -> float:
    """Estimate energy from processor time."""
    return WATTS_A_CORE * processor_seconds


def _read(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
