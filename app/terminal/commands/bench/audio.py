"""Who is heard, for every bench that hears people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.commands.bench.builder import check_least
from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.bench.captions.clips import Clip


def add_people_options(audio: argparse._ArgumentGroup) -> None:
    """Add --set and --split."""
    audio.add_argument(
        "--set", dest="audio_set", choices=("people", "synthetic"), default="people",
        help="recordings of people, or synthetic voices (default: %(default)s)",
    )  # fmt: skip
    audio.add_argument(
        "--split", choices=("judge", "choose"), default="judge",
        help="of LibriSpeech's speakers, sorted as strings, the last half, to judge settings by, or the first half, "
        "to choose them by (default: %(default)s)",
    )  # fmt: skip


def check_audio(options: argparse.Namespace, recordings: Path | None) -> None:
    """Tell what cannot be heard before a model is loaded; `recordings` are those that the user names.

    Raises:
        OptionError: a number that no recordings come in, or sentences that nobody would say.
        BenchError: people are to be heard, and there are none.
    """
    check_least(options, "limit")
    if getattr(options, "sentences", None) is not None and options.audio_set != "synthetic":
        raise OptionError("--sentences are said by a synthetic voice: give --set synthetic too.")
    if options.audio_set == "people" and recordings is None:
        from engine.bench.captions.people import data_folder

        data_folder()


def audio_sentence(options: argparse.Namespace, clips: Sequence[Clip], recordings: Path | None) -> str:
    """Say in a sentence what was heard."""
    if recordings:
        return f"{len(clips)} recordings of {recordings}."
    if options.audio_set == "synthetic":
        return f"{len(clips)} recordings of synthetic voices."
    who = " ".join(sorted({clip.speaker for clip in clips}))
    return f"{len(clips)} recordings of people, speakers {who} of LibriSpeech (--split {options.split})."
