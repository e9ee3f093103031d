"""Queries to a Hugging Face hub, or a mirror of it: the files of a repository that Earshot reads, and their digests.

Nothing but weights in safetensors, JSON and vocabularies is ever requested: other formats can run code.
"""

from __future__ import annotations

import json
import os
import re
import time
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from engine.errors import ModelError
from engine.models.hub_cache import DownloadPlan, PlannedFile, is_digest, is_plain

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoSibling

HUB = "https://huggingface.co"
ASK_SECONDS = 15.0
MOST_ASKED_BYTES = 16 * 1024 * 1024
MOST_FILE_BYTES = 2**44
_READ = re.compile(r"[\w.-]+\.(json|jinja|spm)|(voices/)?[\w.-]+\.safetensors", re.ASCII)
_SHARD = re.compile(r"model-\d+-of-\d+\.safetensors")
_OTHER_WEIGHTS = (".bin", ".npz", ".pt", ".pth", ".gguf", ".onnx", ".msgpack", ".h5")


class Reason(Enum):
    """The reason why a download failed."""

    OFFLINE = "offline"
    SERVER = "server"
    ACCESS = "access"
    LICENCE = "licence"
    MISSING = "missing"
    FORMAT = "format"
    SPACE = "space"
    DISK = "disk"
    DAMAGED = "damaged"
    BUSY = "busy"


class DownloadError(ModelError):
    """A download that failed; downloaded data stays, and the next attempt continues from there.

    Attributes:
        reason: the reason, for callers with their own wording.
        place: the repository, host, folder or file that it concerns.
    """

    def __init__(self, reason: Reason, place: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.place = place


class PassingError(Exception):
    """A failure that is probably temporary: no connection, or an overloaded server.

    Attributes:
        reason: OFFLINE or SERVER.
        detail: the observed error.
        retry_seconds: time after which the server asks to retry; 0 if it states none.
    """

    def __init__(self, reason: Reason, detail: str, retry_seconds: float = 0.0) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retry_seconds = retry_seconds


def endpoint_of(mirror: str = "") -> str:
    """Return the address to download from: the given mirror, else HF_ENDPOINT, else Hugging Face.

    Raises:
        DownloadError: the mirror is not an address.
    """
    address = (mirror or os.environ.get("HF_ENDPOINT") or HUB).strip().rstrip("/")
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    if not fits:
        raise DownloadError(
            Reason.OFFLINE, address, f"The mirror {address!r} is no address. It begins with https:// or http://."
        )
    return address


def plan_download(repo: str, mirror: str = "") -> DownloadPlan:
    """Ask for the current contents of a repository.

    Raises:
        DownloadError: there is no such repository, it may not be read, or it holds nothing that Earshot reads.
        PassingError: there is no answer, or no valid one.
    """
    from huggingface_hub import ModelInfo

    endpoint = endpoint_of(mirror)
    with translated(repo, endpoint):
        info = ModelInfo(**json.loads(_asked(repo, endpoint, mirror)))  # type: ignore[no-untyped-call]
        siblings = info.siblings or []
        files = _wanted({each.rfilename: each for each in siblings})
        names_a_commit = is_digest(info.sha)
    if not any(file.path.endswith(".safetensors") for file in files) or not any(
        file.path == "config.json" for file in files
    ):
        raise DownloadError(Reason.FORMAT, repo, _no_model(repo, [each.rfilename for each in siblings]))
    if info.sha is None or not names_a_commit:
        raise PassingError(Reason.SERVER, f"{urlsplit(endpoint).netloc} does not say which commit {repo} is at")
    return DownloadPlan(repo, info.sha, files)


def _asked(repo: str, endpoint: str, mirror: str) -> bytes:
    """Request JSON about a repository; read here, since Hugging Face's client reads without a limit."""
    from huggingface_hub import get_session
    from huggingface_hub.utils import hf_raise_for_status, validate_repo_id  # type: ignore[attr-defined]

    validate_repo_id(repo)
    host, until = urlsplit(endpoint).netloc, time.monotonic() + ASK_SECONDS
    address, headers = f"{endpoint}/api/models/{repo}?blobs=true", request_headers(mirror, 0)
    said = bytearray()
    with get_session().stream("GET", address, headers=headers, timeout=ASK_SECONDS, follow_redirects=True) as response:
        for chunk in response.iter_bytes():
            said += chunk
            if len(said) > MOST_ASKED_BYTES:
                raise PassingError(Reason.SERVER, f"{host} answers with something else than a hub would")
            if time.monotonic() > until:
                raise PassingError(Reason.OFFLINE, f"{host} does not answer in time")
        if response.status_code >= 400:
            hf_raise_for_status(response)
    return bytes(said)


def file_address(plan: DownloadPlan, file: PlannedFile, mirror: str = "") -> str:
    """Return the address of one file of a plan."""
    return f"{endpoint_of(mirror)}/{plan.repo}/resolve/{plan.commit}/{quote(file.path)}"


def token_for(mirror: str) -> bool | None:
    """Return False for a mirror that was set here, which must not get the user's token; None lets the client decide."""
    return False if mirror else None


def request_headers(mirror: str, first_byte: int) -> dict[str, str]:
    """Return the headers of a request for a file from `first_byte` on."""
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    headers: dict[str, str] = build_hf_headers(token=token_for(mirror), library_name="earshot")
    headers["Accept-Encoding"] = "identity"  # bytes are counted, so the response must not be compressed
    if first_byte:
        headers["Range"] = f"bytes={first_byte}-"
    return headers


class translated:
    """A context that turns every error of Hugging Face's client into a DownloadError or a PassingError."""

    def __init__(self, repo: str, endpoint: str) -> None:
        self._repo = repo
        self._host = urlsplit(endpoint).netloc

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            known = self._known(error)
            if known is not None:
                raise known from error

    def _known(self, error: BaseException) -> Exception | None:
        from huggingface_hub import errors

        if isinstance(error, errors.OfflineModeIsEnabled):
            return DownloadError(
                Reason.OFFLINE, self._host, "HF_HUB_OFFLINE is set, so nothing is fetched. Unset it to download models."
            )
        if isinstance(error, errors.HFValidationError):
            return DownloadError(Reason.MISSING, self._repo, f"{self._repo!r} is no name of a repository.")
        if isinstance(error, errors.HfHubHTTPError):
            return self._answered(error)
        if isinstance(error, errors.HfHubHTTPError.__mro__[1]):  # the client's own errors: httpx's, or httpx2's
            return PassingError(Reason.OFFLINE, f"{self._host} does not answer ({type(error).__name__})")
        if isinstance(error, ValueError | KeyError | TypeError | AttributeError | RecursionError):
            return PassingError(Reason.SERVER, f"{self._host} answers with something else than a hub would")
        return None

    def _answered(self, error: Any) -> Exception:
        from huggingface_hub import errors

        status = int(error.response.status_code)
        if isinstance(error, errors.GatedRepoError):
            return DownloadError(
                Reason.LICENCE,
                self._repo,
                f"{self._repo} wants its terms accepted first: sign in at {HUB}/{self._repo}, accept them, then run "
                "`hf auth login` here and try again.",
            )
        if status in (401, 403):
            return DownloadError(
                Reason.ACCESS,
                self._repo,
                f"{self._host} gives {self._repo} to nobody unknown: it is private or does not exist. If it is "
                "yours, run `hf auth login` here and try again.",
            )
        if status == 404 or isinstance(error, errors.RepositoryNotFoundError):
            return DownloadError(Reason.MISSING, self._repo, f"{self._host} has no {self._repo}, or not all of it.")
        return passing(status, error.response.headers, self._host)


def passing(status: int, headers: Any, host: str) -> PassingError:
    """Return the PassingError for a temporary refusal of a server."""
    wanted = str(headers.get("Retry-After", ""))
    return PassingError(Reason.SERVER, f"{host} answers with error {status}", float(wanted) if wanted.isdigit() else 0)


def _wanted(siblings: dict[str, RepoSibling]) -> tuple[PlannedFile, ...]:
    """Return the files that Earshot's loaders read, JSON first: it shows early whether a model is usable."""
    readable = {path: each for path, each in siblings.items() if _READ.fullmatch(path) and is_plain(path)}
    weights = [path for path in readable if path.endswith(".safetensors") and "/" not in path]
    chosen = next(
        (found for found in (["model.safetensors"], ["weights.safetensors"]) if found[0] in weights),
        [path for path in weights if _SHARD.fullmatch(path)] or weights,
    )
    kept = [path for path in readable if path not in weights or path in chosen]
    files = []
    for path in sorted(kept, key=lambda each: (each.endswith(".safetensors"), each)):
        sibling = readable[path]
        digest = sibling.lfs.sha256 if sibling.lfs is not None else sibling.blob_id
        size = sibling.lfs.size if sibling.lfs is not None else sibling.size
        if digest is None or not is_digest(digest):
            raise PassingError(Reason.SERVER, f"the hub gives no checksum of {path}")
        if not isinstance(size, int) or not 0 <= size <= MOST_FILE_BYTES:
            raise PassingError(Reason.SERVER, f"the hub gives no size of {path}")
        files.append(PlannedFile(path, size, digest))
    return tuple(files)


def _no_model(repo: str, names: list[str]) -> str:
    others = [name for name in names if name.endswith(_OTHER_WEIGHTS)]
    if others:
        return (
            f"{repo} holds its weights as {others[0]}. Earshot reads safetensors only, since other formats can run "
            "code. Look for another version of the model."
        )
    return f"{repo} holds no model: it has no config.json with a model.safetensors."
