"""The newest release of Earshot, asked for on request, or weekly if that was switched on. No Qt.

The package names the address of its releases. What is added there, "/latest", leads to the page of the newest release,
whose address ends in its version, as on GitHub, GitLab and Forgejo. Nothing about this computer is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, metadata
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from app.preferences.program import version
from engine.errors import EngineError

LABEL = "Releases"
"""Label of the address in the package's metadata: a key of [project.urls] in pyproject.toml."""

ASK_SECONDS = 15.0


class ReleaseError(EngineError):
    """It cannot be found out whether there is a newer version."""


@dataclass(frozen=True, slots=True)
class Release:
    """The newest release.

    Attributes:
        version: its version, such as "0.2.0".
        address: its page.
        is_newer: whether it is newer than this Earshot.
    """

    version: str
    address: str
    is_newer: bool


def releases_address() -> str:
    """Return the address of the releases; empty if the package names none."""
    try:
        named: list[str] = metadata("earshot").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    addresses = dict(each.split(", ", 1) for each in named if ", " in each)
    return addresses.get(LABEL, "").rstrip("/")


def newest_release() -> Release:
    """Ask for the newest release. Raises ReleaseError if the question or the answer fails."""
    address = releases_address()
    if not address:
        raise ReleaseError("This Earshot does not say where its releases are. Ask whoever gave it to you.")
    host = urlsplit(address).netloc
    if urlsplit(address).scheme not in ("http", "https"):
        raise ReleaseError(f"The releases of this Earshot are said to be at {address!r}, which is no address.")
    try:
        asked = Request(f"{address}/latest", headers={"User-Agent": "Earshot"})
        with urlopen(asked, timeout=ASK_SECONDS) as answer:
            page = str(answer.url)
    except HTTPError as error:
        error.close()
        raise ReleaseError(f"{host} answers that there is no release ({error.code}).") from error
    except (OSError, HTTPException, ValueError) as error:  # ValueError: an address that cannot be read
        raise ReleaseError(f"{host} does not answer. Is this computer connected?") from error
    return _release(page, host)


def _release(page: str, host: str) -> Release:
    from packaging.version import InvalidVersion, Version

    tag = urlsplit(page).path.rstrip("/").rpartition("/")[2]
    try:
        found = Version(tag)
    except InvalidVersion:
        raise ReleaseError(f"{host} answers with something else than a release.") from None
    try:
        is_newer = found > Version(version())
    except InvalidVersion:  # a plain checkout, of which the version is not known
        is_newer = True
    return Release(str(found), page, is_newer)
