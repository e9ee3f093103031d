"""`earshot train`: the recipes that made the models which come with Earshot."""

from __future__ import annotations

import argparse
from importlib import import_module

from engine.errors import EngineError

NAME = "train"
RECIPES = {
    "average": ("lab.recipes.training.average", "average the weights of several states of a training"),
    "continuations": (
        "lab.recipes.language.continuations",
        "the table of likely next words that translation drafts by",
    ),
    "danger": ("lab.recipes.assistant.danger", "the network that recognises danger in words that no rule knows"),
    "draft": ("lab.recipes.draft.train", "the network that drafts the text from the encoder's output"),
    "hush-word": ("lab.recipes.hush_word.train", "the short sound that tells a Whisper that speech has ended"),
    "intents": ("lab.recipes.assistant.intents", "the classifier of what a question is about"),
    "pack-hearing": ("lab.recipes.packed.pack_hearing", "the folder that 'packed-hearing' learns from"),
    "pack-language": ("lab.recipes.packed.pack_language", "the folder that 'packed-language' learns from"),
    "packed-hearing": ("lab.recipes.packed.hearing", "the draft of the encoder on a GPU, with torch and numpy alone"),
    "packed-language": ("lab.recipes.packed.language", "a larger translator on a GPU, with torch and numpy alone"),
    "packed-speech-llama": (
        "lab.recipes.packed.speech_llama",
        "the Speech-LLaMA and its heads on a GPU, with torch and numpy alone",
    ),
    "parallel-text": ("lab.recipes.parallel_text.gather", "aligned text of Debian's packages, for the translator"),
    "speech-llama": ("lab.recipes.speech_llama.train", "the Speech-LLaMA with multi-token heads"),
    "starter-language": ("lab.recipes.language.train", "the models that translate and answer"),
    "transcripts": (
        "lab.recipes.speech.transcripts",
        "recordings with a model's own text, which hush words learn from",
    ),
}
"""Module and description of each recipe."""


class TrainingError(EngineError):
    """A recipe that cannot run here."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command; each recipe brings its own options."""
    parser = commands.add_parser(
        NAME,
        help="train a draft, a hush word, or the starters again",
        description="Run one of the recipes that made what comes with Earshot. The starter models' need torch.",
        epilog=_epilog(),
    )
    parser.add_argument("recipe", choices=tuple(RECIPES), metavar="RECIPE", help="what to train")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="…", help="options of the recipe")
    parser.set_defaults(run=run)


def _epilog() -> str:
    """Describe every recipe in a line."""
    width = max(map(len, RECIPES))
    lines = [f"  {name:{width}}  {words}" for name, (_, words) in RECIPES.items()]
    return "\n".join(("recipes:", *lines, "", "'earshot train RECIPE --help' lists the options of a recipe."))


def run(options: argparse.Namespace) -> int:
    """Train by the recipe that the options name."""
    try:
        recipe = import_module(RECIPES[options.recipe][0])
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
