"""The decoder's options, the same in every command."""

from __future__ import annotations

import argparse
from dataclasses import replace

from engine.errors import OptionError
from engine.options import AcceptanceRule, CaptionOptions, DecodeOptions, Reuse

DEFAULTS = CaptionOptions().decode
DECODERS = ("beam", "greedy", "multitoken")
_OF_MULTITOKEN = {"tokens_ahead": "--tokens-ahead", "top_m": "--top-m", "threshold": "--threshold"}


def add_decoder_options(group: argparse._ActionsContainer) -> None:
    """Add the options to a command, or to a group of its options."""
    group.add_argument(
        "--decoder", choices=DECODERS,
        help="write by several candidates side by side, by one alone, or several tokens at once, for which a model "
        f"needs heads (default: {DEFAULTS.decoder})",
    )  # fmt: skip
    group.add_argument(
        "--beam", dest="beam_size", type=int, metavar="N",
        help=f"candidates kept while decoding; 1 is fastest (default: {DEFAULTS.beam_size} for beam, else 1)",
    )  # fmt: skip
    group.add_argument(
        "--tokens-ahead", type=int, metavar="K",
        help="for multitoken: tokens that are predicted at once, as far as there are heads "
        f"(default: {DEFAULTS.tokens_ahead})",
    )  # fmt: skip
    group.add_argument(
        "--top-m", type=int, metavar="M",
        help="for multitoken: keep a token that is among the M likeliest when it is verified; 1 writes what greedy "
        f"does (default: {DEFAULTS.top_m})",
    )  # fmt: skip
    group.add_argument(
        "--threshold", type=float, metavar="P",
        help="for multitoken: keep a token that its own head is so sure of, up to 1; with --top-m the others are "
        "verified (default: all are verified)",
    )  # fmt: skip
    group.add_argument(
        "--no-draft", dest="draft", action="store_false",
        help="do without the draft of the encoder, which saves calls of the decoder and makes words certain sooner",
    )  # fmt: skip


def given_decoder_flags(options: argparse.Namespace) -> list[str]:
    """Return the flags that were given."""
    flags = {"decoder": "--decoder", "beam_size": "--beam", **_OF_MULTITOKEN}
    return [flag for name, flag in flags.items() if getattr(options, name) is not None]


def decode_options(options: argparse.Namespace, reuse: Reuse = DEFAULTS.reuse) -> DecodeOptions:
    """Turn flags into checked options.

    Raises:
        OptionError: a bad value, or a flag that another one excludes.
    """
    decoder = options.decoder or DEFAULTS.decoder
    _check(options, decoder)
    given = {name: value for name in _OF_MULTITOKEN if (value := getattr(options, name)) is not None}
    return replace(
        DEFAULTS,
        decoder="multitoken" if decoder == "multitoken" else "beam",  # greedy is a beam of one
        beam_size=_beam_size(options.beam_size, decoder),
        acceptance=_acceptance(options),
        reuse=reuse,
        draft=options.draft,
        **given,
    )


def _check(options: argparse.Namespace, decoder: str) -> None:
    """Refuse options that exclude each other."""
    if decoder == "greedy" and options.beam_size not in (None, 1):
        raise OptionError(f"--decoder greedy keeps one candidate: it goes without --beam {options.beam_size}.")
    for flag in given_decoder_flags(options):
        if decoder != "multitoken" and flag in _OF_MULTITOKEN.values():
            raise OptionError(f"{flag} is about several tokens at once: add --decoder multitoken.")


def _beam_size(asked: int | None, decoder: str) -> int:
    if asked is not None:
        return asked
    return DEFAULTS.beam_size if decoder == "beam" else 1


def _acceptance(options: argparse.Namespace) -> AcceptanceRule:
    """Return the acceptance rule that follows from the given flags."""
    if options.threshold is None:
        return "top-m"
    return "threshold" if options.top_m is None else "both"
