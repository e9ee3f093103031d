"""The time in other places: cities by their names in the time zone database."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from engine.answer.tools.wording import folded

_AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
_OTHERS = {
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "washington": "America/New_York",
    "boston": "America/New_York", "miami": "America/New_York", "beijing": "Asia/Shanghai", "peking": "Asia/Shanghai",
    "delhi": "Asia/Kolkata", "new delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata", "munich": "Europe/Berlin",
    "munchen": "Europe/Berlin", "hamburg": "Europe/Berlin", "japan": "Asia/Tokyo", "china": "Asia/Shanghai",
    "india": "Asia/Kolkata", "germany": "Europe/Berlin", "deutschland": "Europe/Berlin", "france": "Europe/Paris",
    "spain": "Europe/Madrid", "italy": "Europe/Rome", "england": "Europe/London", "londres": "Europe/London",
    "tokio": "Asia/Tokyo", "nueva york": "America/New_York", "california": "America/Los_Angeles",
}  # fmt: skip


def time_in(place: str, now: datetime) -> datetime | None:
    """Return the time in a place; None if it is unknown."""
    zone = _zones().get(folded(place).strip())
    if zone is None:
        return None
    try:
        return now.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, OSError):
        return None


@cache
def _zones() -> dict[str, str]:
    named = (name for name in sorted(available_timezones()) if name.partition("/")[0] in _AREAS)
    return {folded(name.rpartition("/")[2].replace("_", " ")): name for name in named} | _OTHERS
