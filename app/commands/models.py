"""`earshot models`: the models that Earshot knows, and which of them are on this machine."""

from __future__ import annotations

import argparse
import json

NAME = "models"
_KINDS = (
    ("hearing", "Models that hear:", "earshot caption FILE --model"),
    ("language", "Models that translate and answer:", "earshot ask --assistant-model"),
)


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="list the models that Earshot knows",
        description="List the models that Earshot knows by name and which of them are on this machine. Any folder "
        "with a Whisper model in safetensors works too, as does a Speech-LLaMA of Earshot's and any language model "
        "that mlx-lm runs: earshot caption talk.mp3 --model FOLDER --translate de --translation-model FOLDER",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run, parser=parser)


def run(options: argparse.Namespace) -> int:
    """Print the catalogue with what is installed."""
    from engine.bench.tables import table
    from engine.models.catalogue import catalogue

    found = [(entry, entry.local_folder()) for entry in catalogue().values()]
    if options.json:
        records = [
            {
                "name": entry.name,
                "kind": entry.kind,
                "title": entry.title,
                "languages": entry.languages,
                "licence": entry.licence,
                "download_megabytes": entry.download_megabytes,
                "memory_megabytes": entry.memory_megabytes,
                "repo": entry.repo,
                "installed": folder is not None,
                "folder": str(folder) if folder else None,
            }
            for entry, folder in found
        ]
        print(json.dumps({"models": records}, ensure_ascii=False))
        return 0
    for place, (kind, heading, command) in enumerate(_KINDS):
        listed = [(entry, folder) for entry, folder in found if entry.kind == kind]
        rows = [
            (
                entry.name,
                "yes" if folder else "-",
                f"{entry.download_megabytes} MB" if entry.download_megabytes else "built in",
                f"{entry.memory_megabytes} MB",
                entry.languages,
                entry.licence,
            )
            for entry, folder in listed
        ]
        print("\n" * (place > 0) + heading)
        print(table(("name", "here", "download", "memory", "languages", "licence"), rows), end="")
        example = next((entry for entry, folder in listed if entry.repo and folder is None), None)
        if example is not None:
            print(f"To get one: hf download {example.repo}, then: {command} {example.name}")
    return 0
