"""`earshot doctor`: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from app.look.text_layout import folded

if TYPE_CHECKING:
    from app.terminal.doctor import CheckResult

NAME = "doctor"
_MARKS = {"ok": "ok", "warning": "!", "problem": "✗"}
_COLOURS = {"ok": "\x1b[32m", "warning": "\x1b[33m", "problem": "\x1b[31m"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="see what works on this machine, and what to do about the rest",
        description="See what works on this machine, and what to do about the rest. Exit code 0 where files can be "
        "captioned, else 1.",
    )
    parser.add_argument(
        "--plan", action="store_true", help="estimate instead which models will keep up with speech on this machine"
    )
    parser.add_argument(
        "--newer", action="store_true", help="ask instead whether there is a newer Earshot, which uses the network"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--probe-window", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Examine the machine and print each finding immediately."""
    from app.terminal.doctor import examine, probe_window, usable

    if options.probe_window:
        probe_window()
        return 0
    if options.newer:
        return _newer(as_json=options.json)
    if options.plan:
        return _plan(as_json=options.json)
    findings: list[CheckResult] = []
    for finding in examine():
        findings.append(finding)
        if not options.json:
            print(_as_text(finding), flush=True)
    works = usable(findings)
    if options.json:
        print(json.dumps({"usable": works, "findings": [asdict(finding) for finding in findings]}))
    else:
        print(f"\n{_verdict(findings, works)}")
    return 0 if works else 1


def _plan(*, as_json: bool) -> int:
    """Print the expected speed of each model."""
    from app.terminal.plan import HEARD_SECONDS, keep, measured, outlooks
    from app.terminal.tables import table

    machine = measured()
    expected = list(outlooks(machine))
    keep(machine, expected)
    if as_json:
        print(json.dumps({"machine": asdict(machine), "models": [asdict(each) for each in expected]}))
        return 0
    rows = [(each.name, each.round_seconds, each.memory_megabytes, each.verdict) for each in expected]
    busy = ", and it was busy just now" if machine.busy else ""
    print(table(("model", "round, s", "memory, MB", "captions"), rows))
    print(
        f"Estimated from {machine.gflops:.0f} GFLOPS, and from the {machine.starter_seconds:.2f} s in which the "
        f"starter hears {machine.starter_audio_seconds} s.\nA round hears {HEARD_SECONDS:.0f} s while somebody speaks; "
        f"what else runs on this machine counts too{busy}.\n'earshot bench captions --model NAME' measures."
    )
    return 0


def _newer(*, as_json: bool) -> int:
    """Print whether there is a newer version. An EngineError ends the command with 1."""
    from app.preferences.program import version
    from app.preferences.releases import newest_release

    found = newest_release()
    if as_json:
        print(json.dumps({"this": version(), **asdict(found)}))
    elif found.is_newer:
        print(f"Earshot {found.version} is there; this is {version()}. See {found.address}")
    else:
        print(f"This is the newest Earshot, {version()}.")
    return 0


def _as_text(finding: CheckResult) -> str:
    mark = _MARKS[finding.status].ljust(2)
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        mark = f"{_COLOURS[finding.status]}{mark}\x1b[0m"
    lines = [f"{mark} {finding.name.ljust(16)} {finding.detail}"]
    width = max(40, min(shutil.get_terminal_size().columns, 120) - 4)
    lines += [f"     {line}" for line in folded(finding.advice, width - 2)]
    return "\n".join(lines)


def _verdict(findings: list[CheckResult], works: bool) -> str:
    if not works:
        return "Earshot does not work here yet: see the lines marked ✗."
    if any(finding.status == "warning" for finding in findings):
        return "Earshot works here, apart from the lines marked !."
    return "Everything works here."
