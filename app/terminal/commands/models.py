"""`earshot models`: the models that Earshot knows, which of them are here, and how others come and go."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.loading.library import LibraryModel
    from engine.models.download import Progress

NAME = "models"
_KINDS = (
    ("hearing", "Models that hear:", "earshot caption FILE --model"),
    ("language", "Models that translate and answer:", "earshot ask --assistant-model"),
    ("voice", "Voices:", "earshot ask --voice"),
)
_PROBLEMS = {
    "no weights": "its weights are missing: get it again",
    "unread weights": "its weights are in a format that Earshot does not read",
    "gone": "it is no longer where it was",
}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its own commands and their options."""
    parser = commands.add_parser(
        NAME,
        help="list the models that Earshot knows; get, remove or add one",
        description="List the models that Earshot knows by name and which of them are on this machine. Any folder "
        "with a Whisper model for MLX, Hugging Face's transformers or faster-whisper works too, as does a file of "
        "whisper.cpp's, a Speech-LLaMA of Earshot's, and any language model that mlx-lm runs: "
        "earshot caption talk.mp3 --model FOLDER --translate de --translation-model FOLDER",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=_list, parser=parser)
    own = parser.add_subparsers(metavar="COMMAND", title="commands", dest="models_command")
    get = _add_one(
        own,
        "get",
        "download a model, or go on with a download",
        "Download a model to where all programs that use Hugging Face's models find it. A download that was "
        "interrupted goes on where it was.",
        _get,
    )
    get.add_argument("name", metavar="NAME", help="a name that 'earshot models' lists, or a repository such as a/b")
    get.add_argument(
        "--mirror", default="", metavar="URL", help="where to fetch from (default: $HF_ENDPOINT, else Hugging Face)"
    )
    remove = _add_one(
        own,
        "remove",
        "delete what was downloaded of a model",
        "Delete what was downloaded of a model, for other programs too. A folder of your own is forgotten and stays.",
        _remove,
    )
    remove.add_argument("name", metavar="NAME", help="a name that 'earshot models' lists")
    add = _add_one(
        own,
        "add",
        "let a model of your own be called by a name",
        "Check a model on this machine, be it a folder, a file or a fetched repository, and remember it by a name. "
        "Nothing is copied: it stays where it is.",
        _add,
    )
    add.add_argument(
        "folder", metavar="FOLDER|FILE", help="a folder with config.json and weights, or a file of whisper.cpp's"
    )
    add.add_argument("--name", default="", help="what to call it (default: as the folder or file)")
    convert = _add_one(
        own,
        "convert",
        "write a Whisper model in fewer bits, in MLX's layout",
        "Write a model that hears with Whisper as a new folder in MLX's layout, its weights in float16 or quantised. "
        "Fewer bits take less memory on a Mac and less disk everywhere, and cost some accuracy.",
        _convert,
    )
    convert.add_argument("model", metavar="NAME|FOLDER|FILE", help="a Whisper that Earshot loads, as --model takes it")
    convert.add_argument("out", type=Path, metavar="OUT", help="the folder to write: a new one, or an empty one")
    convert.add_argument(
        "--bits", type=int, default=16, metavar="N", help="of a weight: 16 (float16, the default), 8, 6, 5, 4, 3 or 2"
    )


def _add_one(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    description: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=description, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run, parser=parser)
    return parser


def _list(options: argparse.Namespace) -> int:
    """Print the library: what there is, and what is installed."""
    from engine.loading.library import library

    models = library()
    if options.json:
        print(json.dumps({"models": [_record(model) for model in models]}, ensure_ascii=False))
        return 0
    for place, (kind, heading, command) in enumerate(_KINDS):
        print("\n" * (place > 0) + heading)
        _print_kind([model for model in models if model.kind == kind], command)
    return 0


def _print_kind(models: list[LibraryModel], command: str) -> None:
    from engine.bench.tables import table

    rows = [
        (
            model.name,
            _state(model),
            f"{model.download_megabytes} MB" if model.download_megabytes else "built in" * (model.source == "ships"),
            f"{model.memory_megabytes} MB" if model.memory_megabytes else "",
            model.languages,
            model.licence,
        )
        for model in models
    ]
    print(table(("name", "here", "download", "memory", "languages", "licence"), rows), end="")
    for model in models:
        if model.problem:
            print(f"{model.name}: {_PROBLEMS[model.problem]}.")
    example = next((model for model in models if model.source == "hub" and model.folder is None), None)
    if example is not None:
        print(f"To get one: earshot models get {example.name}, then: {command} {example.name}")


def _state(model: LibraryModel) -> str:
    if model.installed:
        return "yes"
    if model.unfinished_bytes:
        return f"{100 * model.fetched_bytes // model.unfinished_bytes}%"
    return "!" if model.problem else "-"


def _record(model: LibraryModel) -> dict[str, object]:
    return {
        **asdict(model),
        "folder": str(model.folder) if model.folder else None,
        "repo": model.repo or None,
        "installed": model.installed,
    }


def _get(options: argparse.Namespace) -> int:
    """Fetch a model; Ctrl-C keeps what has come."""
    from engine.loading.library import add_repository, repository_of
    from engine.models.download import Download

    repo = repository_of(options.name)
    line = _ProgressLine(options.name)
    try:
        folder = Download(repo, options.mirror, line.show).run()
    except KeyboardInterrupt:
        line.end()
        sys.stderr.write(f"What has come is kept; to go on: earshot models get {options.name}\n")
        raise
    finally:
        line.end()
    added = add_repository(repo)
    if options.json:
        print(json.dumps({"name": added.name, "kind": added.kind, "folder": str(folder)}, ensure_ascii=False))
    else:
        print(f"{added.name} is here, in {folder}")
    return 0


def _remove(options: argparse.Namespace) -> int:
    from engine.loading.library import MEGABYTE, library_model, remove_model

    folder = library_model(options.name).folder
    freed = remove_model(options.name)
    if options.json:
        print(json.dumps({"name": options.name, "freed_bytes": freed}))
    elif freed:
        print(f"{options.name} is deleted: {round(freed / MEGABYTE)} MB are free again.")
    else:
        print(f"{options.name} is forgotten; {folder} stays as it is.")
    return 0


def _add(options: argparse.Namespace) -> int:
    from engine.loading.library import add_folder, add_repository, is_repository

    wanted = options.folder
    added = add_repository(wanted) if is_repository(wanted) else add_folder(Path(wanted), options.name)
    place = str(added.local_folder())
    if options.json:
        print(json.dumps({"name": added.name, "kind": added.kind, "folder": place}, ensure_ascii=False))
    else:
        print(f"{place} is called {added.name} from now on.")
    return 0


def _convert(options: argparse.Namespace) -> int:
    from engine.hear.whisper.convert import convert_model
    from engine.loading.library import MEGABYTE

    made = convert_model(options.model, options.out, options.bits)
    if options.json:
        said = {"name": made.name, "folder": str(made.folder), "bits": made.bits, "size_bytes": made.size_bytes}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print(f"{made.folder} holds {made.name} in {made.bits} bits: {made.size_bytes / MEGABYTE:.1f} MB.")
    return 0


class _ProgressLine:
    """One line on a terminal that says how far a download is, and a few where it is none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._drawn = ""

    def show(self, progress: Progress) -> None:
        """Take one Progress of a download."""
        if self._terminal:
            text = _described(progress)
            sys.stderr.write(f"\r\x1b[K{self._name}: {text}")
            self._drawn = text
        elif progress.problem and progress.problem != self._drawn:
            self._drawn = progress.problem
            sys.stderr.write(f"{self._name}: {progress.problem}; trying again\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self._terminal and self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = ""


def _described(progress: Progress) -> str:
    from engine.loading.library import MEGABYTE

    if progress.phase == "asking":
        return "asking what there is …"
    total = f"{progress.done_bytes // MEGABYTE} of {progress.total_bytes // MEGABYTE} MB"
    if progress.phase == "waiting":
        return f"{total}; {progress.problem}; trying again in {progress.wait_seconds:.0f} s"
    if progress.phase == "checking":
        return f"{total}; checking what is here …"
    left = progress.seconds_left
    until = f", {_duration(left)} left" if left is not None else ""
    return f"{total}, {progress.bytes_per_second / MEGABYTE:.1f} MB/s{until}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"
