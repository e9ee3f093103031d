"""`python -m tests.bad_input`: spoil files by the thousand, and say which were not answered with one clear line."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.bad_input.campaign import Tally, run
from tests.bad_input.originals import originals


def main() -> int:
    """Run the campaign; 1 where anything was answered wrongly."""
    parser = argparse.ArgumentParser(prog="python -m tests.bad_input", description=__doc__)
    parser.add_argument("--inputs", type=int, default=5000, metavar="N", help="how many files (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another one spoils them otherwise (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="KIND", help="only kinds with these letters in their names")
    parser.add_argument("--json", action="store_true", help="print one JSON line")
    options = parser.parse_args()
    chosen = [each for each in originals() if options.only in each.name]
    with tempfile.TemporaryDirectory() as folder:
        tally = run(chosen, options.inputs, options.seed, Path(folder), _tell)
    _report(tally, options)
    return 1 if tally.faults else 0


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")


def _report(tally: Tally, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"campaign": "bad input", "seed": options.seed, "figures": tally.figures}))
        return
    for fault in tally.faults:
        print(f"{fault.number} {fault.original}: {fault.outcome}: {fault.line.strip()[:300]}")
    print(f"seed {options.seed}: " + ", ".join(f"{count} {name}" for name, count in tally.figures.items()))


if __name__ == "__main__":
    sys.exit(main())
