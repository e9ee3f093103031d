"""The decoder's options, which several commands share."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from app.preferences.vocabulary import checked, read_vocabulary
from engine.errors import OptionError
from engine.options import CaptionOptions, DecodeOptions

DEFAULTS = CaptionOptions().decode
DECODERS = ("beam", "greedy", "multitoken")


def add_decoder_options(group: argparse._ActionsContainer) -> None:
    """Add the options to a command, or to a group of its options."""
    group.add_argument(
        "--decoder", choices=DECODERS,
        help="several candidates, one, or several tokens at once, which needs a model with heads "
        f"(default: {DEFAULTS.decoder})",
    )  # fmt: skip
    group.add_argument(
        "--beam", dest="beam_size", type=int, metavar="N",
        help=f"candidates of the search; 1 is fastest (default: {DEFAULTS.beam_size})",
    )  # fmt: skip


def add_vocabulary_option(group: argparse._ActionsContainer) -> None:
    """Add --vocabulary to a group of options."""
    group.add_argument(
        "--vocabulary", type=Path, metavar="FILE",
        help="words and names to know: one a line, # begins a comment",
    )  # fmt: skip


def with_vocabulary(base: CaptionOptions, path: Path | None) -> CaptionOptions:
    """Return options that know the words of a file, too.

    Raises:
        FileError: the file cannot be read.
        OptionError: it holds too many words.
    """
    if path is None:
        return base
    entries = checked((*base.decode.vocabulary, *read_vocabulary(path)))
    return replace(base, decode=replace(base.decode, vocabulary=entries))


def given_decoder_flags(options: argparse.Namespace) -> list[str]:
    """Return the decoder flags on the command line."""
    flags = {"decoder": "--decoder", "beam_size": "--beam"}
    return [flag for name, flag in flags.items() if getattr(options, name) is not None]


def decode_options(options: argparse.Namespace, base: DecodeOptions = DEFAULTS) -> DecodeOptions:
    """Return options, changed by the flags.

    Raises:
        OptionError: a bad value, or flags that exclude each other.
    """
    decoder, size = options.decoder, options.beam_size
    if decoder == "greedy" and size not in (None, 1):
        raise OptionError(f"--decoder greedy keeps one candidate: it goes without --beam {size}.")
    if decoder in ("greedy", "multitoken") and size is None:
        size = 1
    chosen = base if decoder is None else replace(base, decoder="multitoken" if decoder == "multitoken" else "beam")
    return chosen if size is None else replace(chosen, beam_size=size)
