"""A bench as the command line knows it: what all benches have, once."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from app.terminal.screen import progress
from engine.errors import OptionError
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from app.terminal.tables import Cell
    from engine.clock import Timer
    from engine.hear.recognizer import Recognizer
    from lab.bench.saved import SavedCases

SIMULATED = "count computation in processor time, for a machine that does other work too"
MODEL = "the language model; 'earshot models' lists them (default: %(default)s)"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a bench.

    Attributes:
        record: for JSON, its figures under "figures".
        parts: for a person, with empty lines between; empty ones are left out.
        draw: writes the picture.
    """

    record: Mapping[str, object]
    parts: Sequence[str]
    draw: Callable[[Path], None] | None = None


@dataclass(frozen=True, slots=True)
class Bench:
    """A bench: its words, its own options, and what it measures.

    Attributes:
        add_options: adds the options that no other bench has.
        measure: measures what is asked for. EngineError where that cannot be.
        methods: the group of options about its methods, which --methods is one of; None where nothing can be chosen.
        processor_time: what --processor-time does; None where there is no such option.
        plot: what --plot draws; None where there is nothing to draw.
        save: whether results may be kept in a file.
    """

    name: str
    help: str
    description: str
    add_options: Callable[[argparse.ArgumentParser], None]
    measure: Callable[[argparse.Namespace], Outcome]
    epilog: str | None = None
    add_methods: Callable[[argparse._ArgumentGroup], None] | None = None
    processor_time: str | None = None
    plot: str | None = None
    save: bool = False

    def add_to(self, benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        """Add the bench and its options."""
        parser = benches.add_parser(self.name, help=self.help, description=self.description, epilog=self.epilog)
        self.add_options(parser)
        if self.add_methods:
            methods = parser.add_argument_group("methods")
            methods.add_argument(
                "--methods", metavar="A,B", default="", help="only these rows; a wrong name lists them"
            )
            self.add_methods(methods)
            if self.processor_time:
                methods.add_argument("--processor-time", action="store_true", help=self.processor_time)
        output = parser.add_argument_group("output")
        output.add_argument("--json", action="store_true", help="print one JSON line instead of tables")
        if self.plot:
            output.add_argument("--plot", type=Path, metavar="OUT", help=f"draw {self.plot} as a .png or .svg file")
        if self.save:
            output.add_argument(
                "--save", type=Path, metavar="FILE",
                help="keep every result in this file and measure nothing again that is in it with the same methods",
            )  # fmt: skip
        parser.set_defaults(run=self.run)

    def run(self, options: argparse.Namespace) -> int:
        """Measure and print."""
        picture: Path | None = options.plot if self.plot else None
        if picture:
            from lab.bench.plots import check_target

            check_target(picture)
        outcome = self.measure(options)
        if options.json:
            from lab.bench.provenance import provenance

            print(json.dumps({"bench": self.name, "run": provenance(sys.argv[1:]), **outcome.record}))
        else:
            print("\n".join(part for part in outcome.parts if part), end="")
        if picture and outcome.draw:
            outcome.draw(picture)
        return 0


class _Way(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...


AnyMethod = TypeVar("AnyMethod", bound=_Way)
Case = TypeVar("Case")
Result = TypeVar("Result")


def side_by_side(
    options: argparse.Namespace,
    noun: str,
    ways: Sequence[AnyMethod],
    cases: Sequence[Case],
    measure: Callable[[AnyMethod, Case], Result],
    saved: SavedCases[Result] | None = None,
) -> dict[str, list[Result]]:
    """Measure every case in all ways, by the ways' names, and say how far it is; `noun` is what the cases are."""
    from lab.bench.side_by_side import compare

    results: dict[str, list[Result]] = {way.name: [] for way in ways}
    with progress() as tell:

        def watched(way: AnyMethod, case: Case) -> Result:
            tell(f"{noun} {1 + sum(map(len, results.values())) // len(ways)} of {len(cases)}: {way.title}")
            return measure(way, case)

        for found in compare(ways, cases, watched, saved) if ways else ():
            for name, result in found.items():
                results[name].append(result)
    if saved and saved.reused:
        sys.stderr.write(f"earshot: {saved.reused} {noun}s come from {options.save}, not from this run.\n")
    return results


def saved_in(options: argparse.Namespace, identity: str, kind: type[Result]) -> SavedCases[Result] | None:
    """Open the file of --save for results of a kind, if there is one; `identity` is what is measured."""
    if options.save is None:
        return None
    from lab.bench.saved import SavedCases

    return SavedCases(options.save, f"{identity}, {clock_of(options)}", kind)


def timer_of(options: argparse.Namespace) -> Timer:
    """Return the stopwatch that computation is measured with."""
    return time.process_time if options.processor_time else time.perf_counter


def clock_of(options: argparse.Namespace) -> str:
    """Name what computation is measured with."""
    return "processor time" if options.processor_time else "wall time"


def check_least(options: argparse.Namespace, *names: str) -> None:
    """Raise OptionError where one of these options was given and is below 1."""
    for name in names:
        if (given := getattr(options, name)) is not None and given < 1:
            raise OptionError(f"--{name.replace('_', '-')} must be at least 1, not {given}.")


def as_heard(
    noun: str,
    cases: Sequence[Case],
    heard: Callable[[Sequence[Case], Recognizer, CaptionOptions], Iterator[Result]],
) -> list[Result]:
    """Return the starter's captions of cases, and show the progress; `noun` names a case.

    Raises:
        BenchError: nothing was heard of any.
    """
    from engine.loading.ready import make_ready
    from lab.bench.errors import BenchError

    choice = CaptionOptions(language="en")
    recognizer, found = make_ready("starter").recognizer(choice), []
    with progress() as tell:
        for each in heard(cases, recognizer, choice):
            found.append(each)
            tell(f"heard {len(found)} of {len(cases)} {noun}s")
    if not found:
        raise BenchError(f"Nothing was heard of any {noun}.")
    return found


def figures_table(figures: Mapping[str, Cell]) -> str:
    """Lay out the figures that are known, if any is."""
    from app.terminal.tables import table

    known = [(name.replace("_", " "), value) for name, value in figures.items() if value is not None]
    return table(("figure", "measured"), known, decimals=3) if known else ""
