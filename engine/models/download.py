"""Download of a repository from a hub to this machine, file by file, with progress; it can be stopped and resumed.

Hugging Face's client lists the files. The bytes are read here, because the client discards half a file when it ends. A
partial file stays on the disk until it is complete and its digest is right; only then is it visible to others.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from engine.models.catalogue import published_files
from engine.models.hub import (
    DownloadError,
    PassingError,
    Reason,
    endpoint_of,
    file_address,
    passing,
    plan_download,
    request_headers,
    translated,
)
from engine.models.hub_cache import CachedRepository, DownloadPlan, PlannedFile
from engine.models.published import address_of, host_of, plan_of

Made = TypeVar("Made")
Phase = Literal["asking", "checking", "fetching", "waiting"]

CHUNK_BYTES = 128 * 1024
CONNECT_SECONDS, SILENT_SECONDS = 10.0, 20.0
PATIENCE_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0, 60.0)
"""Seconds to wait after each consecutive attempt without progress; after the last one the download fails."""

LONGEST_WAIT_SECONDS = 120.0
REPORT_SECONDS = 0.2
RATE_SECONDS = 5.0
SPARE_BYTES = 100 * 1024 * 1024
"""Free space to leave on a disk."""


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """The progress of a download.

    Attributes:
        phase: asking for the list of files, checking local files, fetching, or waiting for another attempt.
        total_bytes: size of the download; 0 until it is known.
        bytes_per_second: rate over the last seconds.
        wait_seconds: time until the next attempt, while waiting.
        problem: the reason for waiting.
    """

    phase: Phase
    done_bytes: int = 0
    total_bytes: int = 0
    bytes_per_second: float = 0.0
    wait_seconds: float = 0.0
    problem: str = ""

    @property
    def seconds_left(self) -> float | None:
        """Estimated time left; None without a rate."""
        return (self.total_bytes - self.done_bytes) / self.bytes_per_second if self.bytes_per_second > 0 else None


class DownloadStopped(Exception):
    """The download was stopped on request; downloaded data stays."""


class Download:
    """Downloads one repository; `run` on a thread of its own, `stop` from any other.

    Attributes:
        repo: "organisation/name".
    """

    def __init__(
        self,
        repo: str,
        mirror: str = "",
        report: Callable[[DownloadProgress], None] | None = None,
        patience_seconds: Sequence[float] | None = None,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        """Set the download up; `report` is called on the thread of `run`, a few times a second.

        `patience_seconds` are PATIENCE_SECONDS by default. No mirror has what is published as single files.
        """
        self.repo = repo
        self._files = published_files(repo)
        self._mirror = host_of(self._files) if self._files else mirror  # no mirror gets the user's token for the hub
        self._report = report or (lambda progress: None)
        self._patience = tuple(PATIENCE_SECONDS if patience_seconds is None else patience_seconds)
        self._silent_seconds = silent_seconds
        self._stopped = threading.Event()
        self._cache = CachedRepository(repo)
        self._response: Any = None
        self._response_lock = threading.Lock()
        self._done = self._total = 0
        self._reached = False  # whether the host has answered in this run
        self._rate = _Rate()
        self._reported = float("-inf")

    def stop(self) -> None:
        """Make `run` end soon, also while it waits for a silent server."""
        self._stopped.set()
        with self._response_lock:
            if self._response is not None:
                _hang_up(self._response)

    def run(self) -> Path:
        """Download the missing files and return the folder of the complete repository.

        Raises:
            DownloadStopped: `stop` was called.
            DownloadError: it cannot continue; another run may, from where this one ended.
        """
        endpoint_of(self._mirror)  # an invalid address is reported before anything else
        try:
            with self._alone():
                begun = self._cache.plan()
                try:
                    return self._carried_out(begun or self._new_plan())
                except DownloadError as error:
                    if begun is None or error.reason is not Reason.MISSING:
                        raise
                return self._carried_out(self._new_plan())  # the repository has changed since the download was started
        except OSError as error:
            raise _disk_error(error, self._cache.folder) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Prevent another process, or another run, from writing the same files."""
        with self._cache.lock_path().open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise DownloadError(
                    Reason.BUSY, self.repo, f"{self.repo} is being downloaded already, by another run of Earshot."
                ) from error
            yield

    def _carried_out(self, plan: DownloadPlan) -> Path:
        self._total = plan.size_bytes
        self._done = self._cache.done_bytes(plan)
        self._check_space(plan)
        self._cache.keep_plan(plan)
        for file in plan.files:
            if not self._cache.blob(file).exists():
                self._fetch(plan, file)
        return self._cache.finish(plan)

    def _new_plan(self) -> DownloadPlan:
        if self._files:
            return plan_of(self.repo, self._files)
        self._tell("asking", now=True)
        return self._persist(lambda: plan_download(self.repo, self._mirror))

    def _check_space(self, plan: DownloadPlan) -> None:
        needed = plan.size_bytes - self._done
        free = shutil.disk_usage(self._cache.lock_path().parent).free
        if needed and needed + SPARE_BYTES > free:
            raise DownloadError(
                Reason.SPACE,
                str(self._cache.folder.parent),
                f"{self.repo} needs {megabytes(needed + SPARE_BYTES)} MB more in {self._cache.folder.parent}, where "
                f"{megabytes(free)} MB are free. Make room, then try again.",
            )

    def _fetch(self, plan: DownloadPlan, file: PlannedFile) -> None:
        """Download a file, and a second time if its digest is wrong."""
        for _ in range(2):
            if self._fetched_rightly(plan, file):
                return
        self._cache.forget_plan()  # its entry for the file may be what is wrong
        host = urlsplit(endpoint_of(self._mirror)).netloc
        raise DownloadError(
            Reason.DAMAGED,
            file.path,
            f"{file.path} of {self.repo} came twice with a wrong checksum from {host}. Try again later, or another "
            "mirror.",
        )

    def _fetched_rightly(self, plan: DownloadPlan, file: PlannedFile) -> bool:
        partial = self._cache.partial(file)
        partial.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("r+b" if partial.exists() else "w+b", buffering=0) as out:
            body = _Body(out, file, self._go_on)
            if body.size:
                self._tell("checking", now=True)
                body.read_again()
            self._persist(lambda: self._read_on(plan, file, body))
        if body.is_right():
            os.replace(partial, self._cache.blob(file))
            return True
        self._done -= body.size
        partial.unlink()
        return False

    def _persist(self, attempt: Callable[[], Made]) -> Made:
        """Repeat an attempt until it succeeds, waiting longer after each one without progress.

        If there was no connection to begin with, the first failure is the last.
        """
        failures = 0
        while True:
            self._go_on()
            before = self._done
            try:
                made = attempt()
            except PassingError as problem:
                self._go_on()
                failures = 1 if self._done > before else failures + 1
                offline = problem.reason is Reason.OFFLINE and not self._reached
                if offline or failures > len(self._patience):
                    raise _given_up(problem, self.repo) from problem
                wait = max(self._patience[failures - 1], min(problem.retry_seconds, LONGEST_WAIT_SECONDS))
                self._wait(wait, problem.detail)
            else:
                self._reached = True
                return made

    def _wait(self, seconds: float, problem: str) -> None:
        self._rate = _Rate()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._tell("waiting", now=True, wait_seconds=left, problem=problem)
            if self._stopped.wait(min(left, 1.0)):
                raise DownloadStopped

    def _read_on(self, plan: DownloadPlan, file: PlannedFile, body: _Body) -> None:
        """Read the missing part of a file. Raises PassingError if it does not reach the end."""
        if body.size >= file.size_bytes:
            return
        with self._answer(plan, file, body.size) as response:
            begins_at = _first_byte(response) if response.status_code == 206 else 0
            if begins_at != body.size or response.status_code == 416:
                self._done -= body.size
                body.begin_again()
                if response.status_code != 200:
                    raise PassingError(Reason.SERVER, f"{response.url.host} sends another part than was asked for")
            self._tell("fetching", now=True)
            for chunk in response.iter_raw():
                self._go_on()
                if body.size + len(chunk) > file.size_bytes:
                    self._done -= body.size
                    body.begin_again()
                    raise PassingError(Reason.SERVER, f"{file.path} is longer than it should be")
                body.write(chunk)
                self._done += len(chunk)
                self._rate.note(len(chunk))
                self._tell("fetching")
        if body.size < file.size_bytes:
            raise PassingError(Reason.OFFLINE, "the connection was cut")

    @contextmanager
    def _answer(self, plan: DownloadPlan, file: PlannedFile, first_byte: int) -> Iterator[Any]:
        """Request a file from a byte on; yields the response, whose body is streamed."""
        from huggingface_hub import get_session
        from huggingface_hub.utils import hf_raise_for_status  # type: ignore[attr-defined]

        published = next((each for each in self._files if each.digest == file.digest), None)
        address = file_address(plan, file, self._mirror) if published is None else address_of(published)
        headers = request_headers(self._mirror, first_byte)
        limits = (CONNECT_SECONDS, self._silent_seconds, self._silent_seconds, CONNECT_SECONDS)
        with (
            translated(self.repo, endpoint_of(self._mirror)),
            get_session().stream("GET", address, headers=headers, timeout=limits, follow_redirects=True) as response,
        ):
            self._reached = True
            if response.status_code >= 400 and response.status_code not in (404, 401, 403, 416):
                raise passing(response.status_code, response.headers, response.url.host)
            if response.status_code >= 400 and response.status_code != 416:
                response.read()
                hf_raise_for_status(response)
            with self._response_lock:
                self._response = response
            try:
                self._go_on()
                yield response
            finally:
                with self._response_lock:
                    self._response = None

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise DownloadStopped

    def _tell(self, phase: Phase, *, now: bool = False, wait_seconds: float = 0.0, problem: str = "") -> None:
        moment = time.monotonic()
        if now or moment - self._reported >= REPORT_SECONDS:
            self._reported = moment
            rate = self._rate.bytes_per_second() if phase == "fetching" else 0.0
            self._report(DownloadProgress(phase, self._done, self._total, rate, wait_seconds, problem))


class _Body:
    """The downloaded part of a file, with its digest.

    Attributes:
        size: bytes so far.
    """

    def __init__(self, out: FileIO, file: PlannedFile, go_on: Callable[[], None]) -> None:
        self._out = out
        self._file = file
        self._go_on = go_on
        self.size = os.fstat(out.fileno()).st_size
        self._digest = self._new_digest()
        if self.size > file.size_bytes:
            self.begin_again()

    def read_again(self) -> None:
        """Digest what an earlier run has written."""
        self._out.seek(0)
        self._digest = self._new_digest()
        self.size = 0
        while chunk := self._out.read(8 * CHUNK_BYTES):
            self._go_on()
            self._digest.update(chunk)
            self.size += len(chunk)

    def begin_again(self) -> None:
        self._out.seek(0)
        self._out.truncate()
        self._digest = self._new_digest()
        self.size = 0

    def write(self, chunk: bytes) -> None:
        left = memoryview(chunk)
        while left:
            left = left[self._out.write(left) :]
        self._digest.update(chunk)
        self.size += len(chunk)

    def is_right(self) -> bool:
        return self.size == self._file.size_bytes and self._digest.hexdigest() == self._file.digest

    def _new_digest(self) -> Any:
        if len(self._file.digest) == 64:
            return hashlib.sha256()
        return hashlib.sha1(b"blob %d\0" % self._file.size_bytes, usedforsecurity=False)  # as git names its objects


class _Rate:
    """Bytes per second over the last seconds."""

    def __init__(self) -> None:
        self._began = 0.0
        self._came: deque[tuple[float, int]] = deque()
        self._bytes = 0

    def note(self, count: int) -> None:
        now = time.monotonic()
        self._began = self._began or now
        self._came.append((now, count))
        self._bytes += count
        while self._came[0][0] < now - RATE_SECONDS:
            self._bytes -= self._came.popleft()[1]

    def bytes_per_second(self) -> float:
        seconds = min(time.monotonic() - self._began, RATE_SECONDS)
        return self._bytes / seconds if self._came and seconds > REPORT_SECONDS else 0.0


def megabytes(count: int) -> str:
    """Format bytes as whole megabytes, for people."""
    return f"{-(-count // 1_000_000):,}"


def _first_byte(response: Any) -> int | None:
    """Return the position of the first byte of a partial response, from its header."""
    unit, _, described = str(response.headers.get("Content-Range", "")).partition(" ")
    begin = described.partition("-")[0]
    return int(begin) if unit == "bytes" and begin.isdigit() else None


def _hang_up(response: Any) -> None:
    """Cut a connection, so that its reader gets an error."""
    stream = response.extensions.get("network_stream")
    wire = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(wire, socket.socket):
        with suppress(OSError):
            socket.socket.shutdown(wire, socket.SHUT_RDWR)


def _given_up(problem: PassingError, repo: str) -> DownloadError:
    if problem.reason is Reason.OFFLINE:
        advice = "Check the connection to the internet, then go on with the download."
    else:
        advice = "Go on with the download later, or choose another mirror."
    return DownloadError(problem.reason, repo, f"{repo} cannot be fetched: {problem.detail}. {advice}")


def _disk_error(error: OSError, folder: Path) -> DownloadError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DownloadError(
            Reason.SPACE, str(folder.parent), f"The disk is full: {folder.parent}. Make room, then go on."
        )
    return DownloadError(
        Reason.DISK, str(folder.parent), f"{folder.parent} cannot be written to: {error.strerror or error}."
    )
