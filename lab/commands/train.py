"""`earshot train`: the recipes that made the models which come with Earshot."""

from __future__ import annotations

import argparse
from importlib import import_module

from engine.errors import EngineError

NAME = "train"
RECIPES = {
    "average": "lab.recipes.training.average",
    "continuations": "lab.recipes.language.continuations",
    "draft": "lab.recipes.draft.train",
    "hush-word": "lab.recipes.hush_word.train",
    "intents": "lab.recipes.assistant.intents",
    "speech-llama": "lab.recipes.speech_llama.train",
    "starter-language": "lab.recipes.language.train",
    "transcripts": "lab.recipes.speech.transcripts",
}


class TrainingError(EngineError):
    """A recipe that cannot run here."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command; each recipe brings its own options."""
    parser = commands.add_parser(
        NAME,
        help="train a draft, a hush word, or the starters again",
        description="Run one of the recipes that made what comes with Earshot. The starter models' need torch.",
        epilog="'earshot train RECIPE --help' lists the options of a recipe.",
    )
    parser.add_argument("recipe", choices=tuple(RECIPES), metavar="RECIPE", help=", ".join(RECIPES))
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="…", help="options of the recipe")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Train by the recipe that the options name."""
    try:
        recipe = import_module(RECIPES[options.recipe])
    except ModuleNotFoundError as error:
        raise TrainingError(
            f"Training needs the package {error.name}, which is not installed. 'uv sync --group parity' adds it."
        ) from error
    parser = type(options.parser)(
        prog=f"{options.parser.prog} {options.recipe}", description=" ".join((recipe.__doc__ or "").split())
    )
    recipe.add_arguments(parser)
    recipe.run(parser.parse_args(options.arguments))
    return 0
