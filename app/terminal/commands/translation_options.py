"""The translation's options, the same in every command."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.preferences.glossary import read_glossary
from engine.errors import OptionError
from engine.options import TranslationOptions
from engine.process.messages import TranslationChoice

DEFAULTS = TranslationOptions()
USUAL_MODEL = "starter-language"


def add_translation_options(parser: argparse.ArgumentParser, target_flag: str, *, required: bool = False) -> None:
    """Add the options to a command in which `target_flag` names the language."""
    group = parser.add_argument_group("translation")
    group.add_argument(
        target_flag, dest="target", metavar="CODE", required=required,
        help="the language to translate into, such as de",
    )  # fmt: skip
    group.add_argument(
        "--bias", type=float, metavar="B",
        help=f"steadiness: how much the last translation is preferred, 0 (not at all) to 1 (default: {DEFAULTS.bias})",
    )  # fmt: skip
    group.add_argument(
        "--mask", type=int, metavar="K",
        help=f"words at the end of an unfinished translation that are held back (default: {DEFAULTS.mask})",
    )  # fmt: skip
    group.add_argument(
        "--stable", action="store_true", default=None, help="never change what has been shown of a translation"
    )
    group.add_argument(
        "--glossary", type=Path, metavar="FILE", help="terms to use: 'term = translation' by lines, # begins a comment"
    )
    group.add_argument(
        "--translation-model", metavar="NAME|FOLDER",
        help=f"the language model; 'earshot models' lists them (default: {USUAL_MODEL})",
    )  # fmt: skip
    parser.set_defaults(target_flag=target_flag)


def translation_choice(options: argparse.Namespace, source: str | None = None) -> TranslationChoice | None:
    """Turn flags into a checked choice, None if nothing is to be translated.

    `source` is the spoken language, if known.

    Raises:
        OptionError: a bad value, or a flag that needs another one.
    """
    if options.target is None:
        for flag in ("bias", "mask", "stable", "glossary", "translation_model"):
            if getattr(options, flag) is not None:
                raise OptionError(f"--{flag.replace('_', '-')} is about translation: add {options.target_flag} CODE.")
        return None
    chosen = TranslationOptions(
        target=options.target.strip().lower(),
        source=source,
        bias=DEFAULTS.bias if options.bias is None else options.bias,
        mask=DEFAULTS.mask if options.mask is None else options.mask,
        stable=bool(options.stable),
        glossary=read_glossary(options.glossary) if options.glossary is not None else (),
    )
    return TranslationChoice(chosen, options.translation_model or USUAL_MODEL)
