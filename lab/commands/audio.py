"""The recordings that a bench hears, for every bench that hears people."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError
from lab.commands.builder import check_least

if TYPE_CHECKING:
    from lab.bench.captions.clips import Clip

MOST_MINUTES = 24 * 60
"""Longest time for which a bench hears people, in minutes."""


def add_audio_options(parser: argparse.ArgumentParser, usual: str, quick: str) -> argparse._ArgumentGroup:
    """Add --set, --split, --manifest, --limit and --quick; `usual` is how much is heard, `quick` what --quick does."""
    audio = parser.add_argument_group("audio")
    audio.add_argument(
        "--set", dest="audio_set", choices=("people", "synthetic"), default="people",
        help="recordings of people, or synthetic voices (default: %(default)s)",
    )  # fmt: skip
    audio.add_argument(
        "--split", choices=("judge", "choose"), default="judge",
        help="of LibriSpeech's speakers, sorted as strings, the last half, to judge settings by, or the first half, "
        "to choose them by (default: %(default)s)",
    )  # fmt: skip
    audio.add_argument("--manifest", type=Path, metavar="M.jsonl", help="instead: recordings and what is said in them")
    audio.add_argument("--limit", type=int, metavar="N", help=f"only the first N recordings (default: {usual})")
    audio.add_argument("--quick", action="store_true", help=quick)
    return audio


def add_minutes_options(parser: argparse.ArgumentParser, usual: float, quick: float, split: str) -> None:
    """Add --split, --minutes and --quick, for a bench that hears people for a while; see `minutes_of`."""
    parser.add_argument(
        "--split", choices=("judge", "choose"), default=split, help="which speakers (default: %(default)s)"
    )
    parser.add_argument("--minutes", type=float, metavar="M", help=f"of people (default: {usual:g})")
    parser.add_argument("--quick", action="store_true", help=f"{quick:g} minutes")
    parser.set_defaults(audio_set="people", manifest=None, limit=None)


def minutes_of(options: argparse.Namespace, usual: float, quick: float) -> float:
    """Return how many minutes of people are to be heard.

    Raises:
        OptionError: --minutes is no length of time, or more than a day.
    """
    minutes: float | None = options.minutes
    if minutes is None:
        return quick if options.quick else usual
    if not 0 < minutes <= MOST_MINUTES:
        raise OptionError(f"--minutes must be above 0 and at most {MOST_MINUTES}, not {minutes:g}.")
    return minutes


def check_audio(options: argparse.Namespace) -> None:
    """Check the options before a model is loaded, and say so where lab's own recordings are heard.

    Raises:
        OptionError: --limit is below 1.
    """
    check_least(options, "limit")
    if options.audio_set == "people" and options.manifest is None:
        from lab.bench.captions import people

        if people.manifest() == people.LAB_MANIFEST:
            sys.stderr.write(
                f"earshot: {people.data_folder()} has no recordings ({people.DATA_VARIABLE} names another folder): "
                "lab/people is heard, five minutes of eight people.\n"
            )


def chosen_clips(options: argparse.Namespace, languages: Sequence[str], most: int) -> list[Clip]:
    """Return the single recordings that are asked for, at most `most` of them unless --limit says otherwise.

    Raises:
        BenchError: there are none.
    """
    from lab.bench.captions import clips, people

    limit = options.limit or most
    if options.manifest:
        return clips.read_manifest(options.manifest, languages, limit)
    return clips.spoken_clips(limit) if options.audio_set == "synthetic" else people.utterances(options.split, limit)


def audio_sentence(options: argparse.Namespace, clips: Sequence[Clip]) -> str:
    """Return a sentence that says what was heard."""
    if options.manifest:
        return f"{len(clips)} recordings of {options.manifest}."
    if options.audio_set == "synthetic":
        return f"{len(clips)} recordings of synthetic voices."
    from lab.bench.captions import people

    who = " ".join(sorted({clip.speaker for clip in clips}))
    where = ", in lab/people" if people.manifest() == people.LAB_MANIFEST else ""
    return f"{len(clips)} recordings of people, speakers {who} of LibriSpeech (--split {options.split}){where}."
