"""Gathers aligned English, German, French and Spanish of Debian's packages, for `train starter-language --gathered`.

Packages are downloaded, read and thrown away, never installed. What is made goes into a folder of the user's, and its
card names the licences; it belongs into no repository.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import OptionError
from engine.models.catalogue import ASSETS
from lab.recipes.parallel_text.clean import clean, letters
from lab.recipes.parallel_text.packages import Files, PackageError, read_packages
from lab.recipes.parallel_text.sources import SOURCES, Source
from lab.recipes.sentences.gathered import Gathered, read_gathered, read_index, write_gathered
from lab.recipes.sentences.pairs import LANGUAGES
from lab.recipes.training.options import add_options, read_options

CARD = "README.md"
SAYS = {
    "out": "where the pairs and their card go",
    "sources": "names, comma-separated, of those to read (default: all)",
    "minutes": "after which no further source is begun",
    "resume": "leave out what --out has",
}


@dataclass(frozen=True, slots=True)
class GatherOptions:
    """Options of a gathering."""

    out: Path
    sources: str = ""
    minutes: float = 60.0
    resume: bool = False

    def chosen(self) -> list[Source]:
        """Return the sources to read. OptionError where a name is of none."""
        known = {source.name: source for source in SOURCES}
        names = [name.strip() for name in self.sources.split(",") if name.strip()] or list(known)
        if wrong := [name for name in names if name not in known]:
            raise OptionError(f"sources must be of {', '.join(known)}, not {', '.join(wrong)}.")
        return [known[name] for name in names]


def gather(options: GatherOptions, fetch: Callable[[Source], Files] | None = None) -> list[Gathered]:
    """Read sources, clean them and write what is left; return what the folder has then."""
    fetch = fetch or (lambda source: read_packages(source.packages_for(tuple(LANGUAGES)), source.paths))
    chosen, started = options.chosen(), time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        for old in (*options.out.glob("*.tsv.gz"), *options.out.glob("*.jsonl")):
            old.unlink()
    had = {found.source for found in read_index(options.out)}
    for source in chosen:
        if source.name in had or time.monotonic() - started > 60 * options.minutes:
            print(f"{source.name}: {'is there' if source.name in had else 'no time left'}")
            continue
        try:
            _read(source, fetch(source), options.out)
        except PackageError as error:
            print(f"{source.name}: left out. {error}")
    index = read_index(options.out)
    (options.out / CARD).write_text(card(index), encoding="utf-8")
    return index


def _read(source: Source, files: Files, out: Path) -> None:
    """Write what is good in the files of a source; a pair that an earlier source has is left out."""
    for code in LANGUAGES:
        earlier = (pair for found in read_index(out) if found.code == code for pair in read_gathered(out, found))
        seen = judged() | {letters(pair.source) for pair in earlier}
        pairs = list(clean(source.pairs(files, code), code, seen))
        words = sum(len(pair.source.split()) for pair in pairs)
        found = Gathered(source.name, code, source.licence, source.weight, len(pairs), words)
        write_gathered(out, found, pairs)
        print(f"{source.name} {code}: {len(pairs):,} pairs, {words:,} English words", flush=True)


def judged() -> set[str]:
    """Return the lines that translators are judged by, as letters: nothing is to be learnt from them."""
    lines = (ASSETS / "bench" / "everyday.tsv").read_text(encoding="utf-8").splitlines()
    return {letters(line.split("\t")[1]) for line in lines}


def card(index: Sequence[Gathered]) -> str:
    """Describe what was gathered: a table of sources with their licences."""
    rows = [
        f"| {one.source} | {one.code} | {one.pairs:,} | {one.words:,} | {one.weight:g} | {one.licence} |"
        for one in index
    ]
    lines = [
        "# Aligned text of Debian's packages", "",
        "Gathered by `earshot train parallel-text`: learn from it, do not pass it on. The authors of each part are "
        "named in `/usr/share/doc/PACKAGE/copyright` of the packages in `lab/recipes/parallel_text/sources.py`.", "",
        "| source | language | pairs | English words | weight | licence |", "|---|---|---|---|---|---|", *rows, "",
    ]  # fmt: skip
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, GatherOptions, SAYS)


def run(args: argparse.Namespace) -> None:
    """Gather as the command line asks."""
    options = read_options(GatherOptions, args)
    index = gather(options)
    for code in LANGUAGES:
        some = [one for one in index if one.code == code]
        print(f"{code}: {sum(one.pairs for one in some):,} pairs, {sum(one.words for one in some):,} English words")
