"""The cache folder that Hugging Face's programs share, in their layout, so that they find what is downloaded here.

models--ORG--NAME/ holds blobs/DIGEST (the files), snapshots/COMMIT/PATH (links to them) and refs/main (the newest
commit). Partial files lie beside the blobs, with the plan of the download, so that any later run can resume it.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

PARTIAL_SUFFIX = ".earshot.incomplete"  # `hf cache prune` deletes files that end in .incomplete
PLAN_NAME = "earshot-download.json"


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a repository.

    Attributes:
        path: path within the repository, with slashes.
        digest: the SHA-256 of a large file (64 digits) or git's SHA-1 of a small one (40); its blob's name.
    """

    path: str
    size_bytes: int
    digest: str


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """Files to download of one repository at one commit."""

    repo: str
    commit: str
    files: tuple[PlannedFile, ...]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


def hub_folder() -> Path:
    """Return the folder where Hugging Face's programs store downloads."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def cached_repository(repo: str, sign: str = "config.json") -> Path | None:
    """Return the newest local snapshot of a Hugging Face repository, or None; no network access.

    `sign` is the file that tells that it is complete.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(repo, sign)
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


class CachedRepository:
    """One repository's folder in the cache; it need not exist.

    Attributes:
        repo: "organisation/name".
    """

    def __init__(self, repo: str) -> None:
        self.repo = repo
        name = f"models--{repo.replace('/', '--')}"
        self.folder = hub_folder() / name
        self._locks = hub_folder() / ".locks" / name

    def blob(self, file: PlannedFile) -> Path:
        """Return the path of a complete file."""
        return self.folder / "blobs" / file.digest

    def partial(self, file: PlannedFile) -> Path:
        """Return the path of a file until it is complete."""
        return self.folder / "blobs" / f"{file.digest}{PARTIAL_SUFFIX}"

    def lock_path(self) -> Path:
        """Return the path of the file that is locked during a download of this repository."""
        self._locks.mkdir(parents=True, exist_ok=True)
        return self._locks / "earshot.lock"

    def keep_plan(self, plan: DownloadPlan) -> None:
        """Store the plan of a download."""
        (self.folder / "blobs").mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"{PLAN_NAME}.partial"
        partial.write_text(json.dumps(asdict(plan)), encoding="utf-8")
        os.replace(partial, self.folder / PLAN_NAME)

    def plan(self) -> DownloadPlan | None:
        """Read the plan of an unfinished download; None if there is none, or if it is damaged."""
        try:
            kept = json.loads((self.folder / PLAN_NAME).read_text(encoding="utf-8"))
            files = tuple(
                PlannedFile(str(each["path"]), int(each["size_bytes"]), str(each["digest"])) for each in kept["files"]
            )
            plan = DownloadPlan(str(kept["repo"]), str(kept["commit"]), files)
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            return None
        safe = plan.repo == self.repo and is_digest(plan.commit) and all(is_digest(each.digest) for each in files)
        return plan if safe and files and all(is_plain(each.path) for each in files) else None

    def done_bytes(self, plan: DownloadPlan) -> int:
        """Return how many bytes of a plan are on this machine."""
        return sum(self._here(file) for file in plan.files)

    def partial_bytes(self) -> int:
        """Return the size of all partial files."""
        return sum(path.stat().st_size for path in (self.folder / "blobs").glob(f"*{PARTIAL_SUFFIX}"))

    def finish(self, plan: DownloadPlan) -> Path:
        """Turn a plan whose blobs are complete into a snapshot, visible only once it is complete; return its folder."""
        snapshot = self.folder / "snapshots" / plan.commit
        # config.json comes last, or else the largest file: it is taken as the sign of a model.
        for file in sorted(plan.files, key=lambda each: (each.path == "config.json", each.size_bytes)):
            self._link(self.blob(file), snapshot / file.path)
        ref = self.folder / "refs" / "main"
        ref.parent.mkdir(parents=True, exist_ok=True)
        partial = ref.with_name("main.partial")
        partial.write_text(plan.commit, encoding="utf-8")
        os.replace(partial, ref)
        self.forget_plan()
        return snapshot

    def forget_plan(self) -> None:
        """Delete the plan, so that the next run asks for the list of files again; complete files stay."""
        (self.folder / PLAN_NAME).unlink(missing_ok=True)

    def discard_partial(self, plan: DownloadPlan) -> None:
        """Delete what a plan has downloaded so far; complete snapshots stay."""
        used = {path.resolve() for path in (self.folder / "snapshots").rglob("*") if path.is_file()}
        for file in plan.files:
            self.partial(file).unlink(missing_ok=True)
            if self.blob(file).resolve() not in used:
                self.blob(file).unlink(missing_ok=True)
        self.forget_plan()
        for folder in (self.folder / "blobs", self.folder):
            with suppress(OSError):
                folder.rmdir()  # only if it is empty

    def size_bytes(self) -> int:
        """Return the size on the disk."""
        return sum(path.lstat().st_size for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())

    def remove(self) -> int:
        """Delete everything of the repository; return the freed bytes. Raises OSError if something stays."""
        size = self.size_bytes()
        if self.folder.is_dir() and not self.folder.is_symlink():
            shutil.rmtree(self.folder)
        shutil.rmtree(self._locks, ignore_errors=True)
        return size

    def _here(self, file: PlannedFile) -> int:
        if self.blob(file).exists():
            return file.size_bytes
        try:
            return min(self.partial(file).stat().st_size, file.size_bytes)
        except OSError:
            return 0

    def _link(self, blob: Path, pointer: Path) -> None:
        pointer.parent.mkdir(parents=True, exist_ok=True)
        pointer.unlink(missing_ok=True)
        try:
            pointer.symlink_to(os.path.relpath(blob, pointer.parent))
        except OSError:  # a file system without links, such as exFAT
            shutil.copyfile(blob, pointer)


def is_digest(given: object) -> bool:
    """Return whether it has the form of a SHA-1 or SHA-256, the name of a commit or of a file's bytes."""
    return isinstance(given, str) and len(given) in (40, 64) and all(each in "0123456789abcdef" for each in given)


def is_plain(path: str) -> bool:
    """Return whether a repository's path stays within the folder it is written to."""
    parts = path.split("/")
    return len(parts) <= 2 and all(part not in ("", ".", "..") and "\\" not in part for part in parts)
