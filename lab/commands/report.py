"""`earshot bench report`: the tables of the pages, written from what the benches printed."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

NAME = "report"
_EPILOG = """\
example:
  earshot bench captions --quick --processor-time --json > captions.json
  earshot bench report captions.json
"""


def add_to(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = benches.add_parser(
        NAME,
        help="write the tables of docs/benchmarks.md, docs/papers.md and README.md",
        description="Write the tables of docs/benchmarks.md, docs/papers.md and README.md from records of benches.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "records", nargs="*", type=Path, metavar="FILE",
        help="what a bench printed with --json; it is kept in lab/results in place of the earlier record of its bench",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Keep the records, write the pages, and print what was written.

    Raises:
        BenchError: a file is no record, or a page has no place for a table.
    """
    from lab.bench import report

    given = [report.read_record(path) for path in options.records]
    pages = report.pages(report.kept_records() | {report.section_of(record): record for record in given})
    kept = [report.keep(record) for record in given]
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    for path in (*kept, *pages):
        print(f"Wrote {os.path.relpath(path)}.")
    return 0
