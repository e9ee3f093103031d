"""Load of processes on the machine, told as the system tells it."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import time

from lab.commands.window.process_load import (
    cpu_seconds,
    family,
    holdings_of,
    resident_megabytes,
)

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"


def test_a_family_is_a_process_and_all_that_it_started() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    started = [sys.executable, "-c", code, "print('ready', flush=True); input()"]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None and parent.stdin is not None
        assert parent.stdout.readline() == "ready\n"
        members = family(parent.pid)
        assert members[0].pid == parent.pid
        assert [each.ppid() for each in members[1:]] == [parent.pid]
        assert {each.pid for each in members} < {each.pid for each in family(os.getpid())}
        parent.stdin.write("\n")


def test_what_a_child_computes_counts() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdout is not None and one.stdin is not None
        one.stdout.readline()
        assert 0.2 < cpu_seconds(one.pid) < 5
        one.stdin.write("\n")


def test_memory_that_is_taken_is_seen() -> None:
    before = resident_megabytes(os.getpid())
    with mmap.mmap(-1, 50_000_000) as taken:  # new memory: an allocator may reuse what other tests left behind
        for page in range(0, len(taken), mmap.PAGESIZE):
            taken[page] = 1
        assert 40 < resident_megabytes(os.getpid()) - before < 70


def test_a_process_that_is_not_there_takes_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    assert family(gone.pid) == ()
    assert resident_megabytes(gone.pid) == 0.0


def test_what_ends_at_this_moment_holds_nothing_and_the_others_are_told() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is still listed
        held = holdings_of(os.getpid())
    own = held[os.getpid()]
    assert 0 < own.private_megabytes <= own.megabytes
    assert own.threads >= 1 and own.handles >= 3
    assert ended.pid not in held or held[ended.pid].private_megabytes == 0


def test_this_process_has_computed_what_it_says_itself() -> None:
    begun = time.process_time()
    assert cpu_seconds(os.getpid()) >= begun - 0.05
