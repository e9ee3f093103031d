"""`earshot models`: list, download, add and remove models."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.screen import progress

if TYPE_CHECKING:
    from engine.loading.advice import Advice, Goal, Why
    from engine.loading.library import LibraryModel
    from engine.machine.pace import MachinePace
    from engine.models.download import DownloadProgress

NAME = "models"
_USES: dict[str, Goal] = {"captions": "captions", "translation": "translation", "assistant": "answers"}
_GOALS: dict[Goal, tuple[str, str]] = {
    "captions": ("Models that hear:", "earshot caption FILE --model"),
    "translation": ("Models that translate:", "earshot caption FILE --translate {} --translation-model"),
    "answers": ("Models that answer:", "earshot ask --assistant-model"),
    "voice": ("Voices:", "earshot ask --voice"),
}
_WHY: dict[Why, str] = {
    "": "",
    "fewest mistakes": "makes the fewest mistakes of those that keep up with speech",
    "quickest": "the quickest; captions come late all the same",
    "best that fits": "the largest that leaves the memory at ease",
    "no graphics processor": "small enough for a computer without a graphics processor",
}
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
        "whisper.cpp's, a Speech-LLaMA of Earshot's, a GGUF file of a language model, any language model that mlx-lm "
        "runs, and translation models of Firefox and OPUS-MT: "
        "earshot caption talk.mp3 --model FOLDER --translate de --translation-model FOLDER",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--use", choices=tuple(_USES), help="list those for this alone, the best first")
    parser.add_argument("--language", default="", metavar="CODE", help="list those that know this language, such as de")
    parser.set_defaults(run=_list)
    own = parser.add_subparsers(metavar="COMMAND", title="commands", dest="models_command")
    _add_downloads(own)
    _add_own_models(own)


def _add_downloads(own: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands about models that are downloaded."""
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


def _add_own_models(own: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands about models that are here already."""
    add = _add_one(
        own,
        "add",
        "let a model of your own be called by a name",
        "Check a model on this machine, be it a folder, a file or a fetched repository, and remember it by a name. "
        "Nothing is copied: it stays where it is.",
        _add,
    )
    add.add_argument(
        "folder",
        metavar="FOLDER|FILE",
        help="a folder with a model's files, Firefox's and OPUS-MT's included, or a whisper.cpp or GGUF file",
    )
    add.add_argument("--name", default="", help="what to call it (default: as the folder or file)")
    _add_one(
        own,
        "servers",
        "look for servers of language models on this computer",
        "Ask the usual ports of Ollama, LM Studio, llama.cpp and mlx_lm on this computer for their models.",
        _look_for_servers,
    )
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
    parser = commands.add_parser(name, help=summary, description=description)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(run=run)
    return parser


def _known(language: str) -> str:
    """Return a language code without its region. Raises OptionError if it is no code, because no model could match
    it.
    """
    from engine.errors import OptionError
    from engine.translate.languages import NAMES, spoken_code

    code = spoken_code(language)
    if code and code not in NAMES:
        raise OptionError(f"--language must be the code of a language, such as de for German, not {language!r}.")
    return code


def _list(options: argparse.Namespace) -> int:
    """Print the library by purpose: all models, which are installed, and which is best here."""
    from engine.loading.advice import advise
    from engine.loading.library import library, memory_megabytes

    language = _known(options.language)
    models, pace, memory = library(), _pace(), memory_megabytes()
    goals = (_USES[options.use],) if options.use else tuple(_GOALS)
    advised = {goal: advise(models, goal, language, pace, memory) for goal in goals}
    if options.json:
        print(json.dumps(_as_json(models, advised), ensure_ascii=False))
        return 0
    for place, (goal, advice) in enumerate(advised.items()):
        print("\n" * (place > 0) + _GOALS[goal][0])
        _print_goal(advice, _GOALS[goal][1], language or "de")
    if pace is not None:
        busy = " while other programs kept this computer busy, so it may be faster" if pace.busy else ""
        print(f"\nEstimated from {pace.gflops:.0f} GFLOPS{busy}; 'earshot doctor --plan' estimates again.")
    return 0


def _pace() -> MachinePace | None:
    """Read this machine's estimated speed, or estimate it now; None if that fails.

    An estimate of a busy machine is repeated once it is less busy.
    """
    from app.terminal.plan import find_pace
    from engine.errors import EngineError
    from engine.machine.pace import is_busy, load_pace

    pace = load_pace()
    if pace is None or (pace.busy and not is_busy()):
        sys.stderr.write("Measuring how fast this computer is …\n")
        try:
            pace = find_pace()
        except EngineError as error:
            sys.stderr.write(f"{error} No model is recommended.\n")
    return pace


def _as_json(models: list[LibraryModel], advised: dict[Goal, tuple[Advice, ...]]) -> dict[str, object]:
    named = {each.model.name for advice in advised.values() for each in advice}
    return {
        "models": [_record(model) for model in models if model.name in named],
        "advice": {goal: [_advice_record(each) for each in advice] for goal, advice in advised.items()},
        "recommended": {
            goal: next((each.model.name for each in advice if each.is_best), None) for goal, advice in advised.items()
        },
    }


def _advice_record(advice: Advice) -> dict[str, object]:
    return {
        "name": advice.model.name,
        "captions": advice.verdict or None,
        "round_seconds": advice.round_seconds,
        "delay_seconds": advice.delay_seconds,
        "fit": advice.fit,
        "why": advice.why or None,
    }


def _print_goal(advice: tuple[Advice, ...], command: str, language: str) -> None:
    """Print models and how to get one; `language` is what it is to translate into, unless it knows but one."""
    from app.terminal.tables import table

    best = next((each for each in advice if each.is_best), None)
    if best is not None:
        why = f": {_WHY[best.why]}" if best.why else ""
        print(f"Recommended for this computer: {best.model.name}{why}.")
    hears = any(each.model.kind == "hearing" for each in advice)
    rows = [_row(each) if hears else _row(each)[:-2] for each in advice]
    heads = (
        "name",
        "here",
        "download",
        "memory",
        "languages",
        "licence",
        *(("captions", "errors, English") if hears else ()),
    )
    print(table(heads, rows), end="")
    models = [each.model for each in advice]
    for model in models:
        if model.problem:
            print(f"{model.name}: {_PROBLEMS[model.problem]}.")
    example = next((model for model in models if model.source == "hub" and model.folder is None), None)
    if example is not None:
        used = command.format(example.pair[1] if example.pair else language)
        print(f"To get one: earshot models get {example.name}, then: {used} {example.name}")


def _row(advice: Advice) -> tuple[str, ...]:
    model = advice.model
    verdict: str = advice.verdict
    if advice.delay_seconds is not None:
        verdict += f", words after {advice.delay_seconds:.1f} s (measured)"
    return (
        model.name,
        _state(model),
        f"{model.download_megabytes} MB" if model.download_megabytes else "built in" * (model.source == "ships"),
        f"{model.memory_megabytes} MB" if model.memory_megabytes else "",
        model.languages,
        model.licence,
        verdict.removeprefix(", "),
        f"{model.errors_percent:.1f}%" if model.errors_percent is not None else "",
    )


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
    """Download a model; Ctrl-C keeps the data so far."""
    from engine.loading.library import add_repository, repository_of
    from engine.models.download import Download

    repo = repository_of(options.name)
    try:
        with download_progress(options.name) as report:
            folder = Download(repo, options.mirror, report).run()
    except KeyboardInterrupt:
        sys.stderr.write(f"What has come is kept; to go on: earshot models get {options.name}\n")
        raise
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


@contextmanager
def download_progress(name: str) -> Iterator[Callable[[DownloadProgress], None]]:
    """Print the progress of a download in one line of a terminal; elsewhere print each new problem once."""
    last_problem = ""

    def report(now: DownloadProgress) -> None:
        nonlocal last_problem
        tell(f"{name}: {_described(now)}")
        if now.problem and now.problem != last_problem and not sys.stderr.isatty():
            last_problem = now.problem
            sys.stderr.write(f"{name}: {last_problem}; trying again\n")

    with progress() as tell:
        yield report


def _described(progress: DownloadProgress) -> str:
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
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _look_for_servers(options: argparse.Namespace) -> int:
    from engine.language.servers.local import local_servers

    found = local_servers()
    if options.json:
        print(json.dumps({"servers": [asdict(server) for server in found]}, ensure_ascii=False))
        return 0
    if not found:
        print("No server of language models answers on this computer. Start one, such as Ollama, and look again.")
    for server in found:
        print(f"{server.program} at {server.address}:" if server.models else f"{server.program} has no model yet.")
        for name in server.names:
            print(f"    earshot ask --assistant-model {name}")
    return 0
