"""Models that are published as single files with known digests, not as a repository on a hub.

Their downloads lie beside the hub's, under a name of their own, so that they are resumed, checked and deleted alike.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.models.hub_cache import DownloadPlan, PlannedFile

ATTACHMENTS = "https://firefox-settings-attachments.cdn.mozilla.net"
"""Host of the files that Mozilla's Remote Settings list."""

PLACE = "main-workspace/translations-models"


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of a model.

    Attributes:
        place: its address, or its name under ATTACHMENTS.
        digest: SHA-256.
    """

    name: str
    place: str
    size_bytes: int
    digest: str


def plan_of(repo: str, files: tuple[PublishedFile, ...]) -> DownloadPlan:
    """Return the plan of a download; it stands for what the files are, as a commit does."""
    state = hashlib.sha256("".join(file.digest for file in files).encode("ascii")).hexdigest()
    planned = (PlannedFile(file.name, file.size_bytes, file.digest) for file in files)
    return DownloadPlan(repo, state, tuple(sorted(planned, key=lambda file: file.size_bytes)))


def host_of(files: tuple[PublishedFile, ...]) -> str:
    """Return the address of the host that has the first of the files."""
    parts = urlsplit(address_of(files[0]))
    return f"{parts.scheme}://{parts.netloc}"


def address_of(file: PublishedFile) -> str:
    """Return the address of a file."""
    return file.place if "://" in file.place else f"{ATTACHMENTS}/{PLACE}/{file.place}"
