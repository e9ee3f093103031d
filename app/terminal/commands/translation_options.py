"""The translation's options, the same in every command."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from app.preferences.glossary import read_glossary
from app.preferences.preferences import Preferences
from engine.errors import OptionError
from engine.options import TranslationOptions
from engine.process.messages import TranslationChoice
from engine.translate.languages import code_of

DEFAULTS = TranslationOptions()
_DETAILS = ("bias", "mask", "glossary", "translation_model")


def add_translation_options(parser: argparse.ArgumentParser, target_flag: str, *, required: bool = False) -> None:
    """Add the options to a command in which `target_flag` names the language."""
    group = parser.add_argument_group("translation")
    add_target_option(group, target_flag, required=required)
    group.add_argument(
        "--bias", type=float, metavar="B",
        help=f"steadiness: preference for the last translation, 0 (none) to 1 (default: {DEFAULTS.bias})",
    )  # fmt: skip
    group.add_argument(
        "--mask", type=int, metavar="K",
        help="hold back the last K words of an unfinished translation (default: those that may change)",
    )  # fmt: skip
    group.add_argument(
        "--glossary", type=Path, metavar="FILE", help="terms to use: 'term = translation' by lines, # begins a comment"
    )
    group.add_argument(
        "--translation-model", metavar="NAME|FOLDER|ADDRESS",
        help="the language model, or the address of a server that has one; 'earshot models' lists them "
        f"(default: {Preferences().models.translation})",
    )  # fmt: skip
    parser.set_defaults(target_flag=target_flag)


def add_target_option(group: argparse._ActionsContainer, flag: str, *, required: bool = False) -> None:
    """Add the language to translate into, under a flag of the command's own."""
    group.add_argument(
        flag, dest="target", metavar="CODE", required=required, help="the language to translate into, such as de"
    )


def translation_choice(
    options: argparse.Namespace, source: str | None = None, base: Preferences | None = None
) -> TranslationChoice | None:
    """Return the translation of the settings `base`, changed by the flags that were given; None if there is none.

    `source` is the spoken language, if known.

    Raises:
        OptionError: a bad value, or a flag that needs another one.
    """
    base = base or Preferences()
    given = {name: value for name in _DETAILS if (value := getattr(options, name, None)) is not None}
    if options.target is None and not base.translates:
        for name in given:
            raise OptionError(f"--{name.replace('_', '-')} is about translation: add {options.target_flag} CODE.")
        return None
    if "glossary" in given:
        given["glossary"] = read_glossary(options.glossary)
    if "mask" in given:
        given["display"] = "mask-k"
    if options.target is not None:
        given["target"] = code_of(options.target)
    if options.target is None and base.translates_by_ear and "translation_model" not in given:
        given |= {"target": "en", "source": None}
        return TranslationChoice(replace(base.translation, **given), by_ear=True)
    model = given.pop("translation_model", base.models.translation)
    return TranslationChoice(replace(base.translation, source=source or base.translation.source, **given), model)
