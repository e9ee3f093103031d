"""The command line: `earshot` opens the window, `earshot COMMAND` works without one.

Every problem a user can act on is one line on standard error. Exit codes: 0 done, 1 a problem, 2 bad usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from app.terminal.commands import (
    ask,
    caption,
    compare,
    demo,
    doctor,
    models,
    notes,
    profile,
    running,
    translate,
    window,
)
from engine.errors import EngineError, OptionError, error_sentence

EXIT_DONE, EXIT_PROBLEM, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
_COMMANDS = (caption, notes, translate, ask, demo, doctor, models, profile, compare, window, *running.COMMANDS)
_LAB_COMMANDS = ("bench", "train")

_EPILOG = """\
examples:
  earshot                                    open the window
  earshot talk.mp3                           open the window and caption a recording in it
  earshot demo                               hear people read, and watch the captions
  earshot caption talk.mp3 --export talk.srt caption a recording and keep the subtitles
  earshot caption --mic                      caption the microphone until Ctrl-C
  earshot caption talk.mp3 --translate de    caption a recording in two languages
  earshot notes talk.srt                     summary, decisions, tasks and open questions of a transcript
  earshot ask "What can you do?"             ask the assistant in writing
  earshot ask --mic                          talk to it
  earshot doctor                             see what works on this machine

Everything runs on this machine; nothing you say leaves it.
"""


class Help(argparse.HelpFormatter):
    """A help formatter that wraps paragraphs, keeps the lines of examples, and has room for the longest command."""

    def format_help(self) -> str:
        self._action_max_length += self._indent_increment  # argparse forgets that commands are indented once more
        return super().format_help()

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser without abbreviations, whose errors are one line that says where help is; its results know the
    parser.
    """

    def __init__(self, **rest: Any) -> None:
        super().__init__(allow_abbrev=False, **{"formatter_class": Help, **rest})
        self.set_defaults(parser=self)

    def named(self, error: OptionError) -> OptionError:
        """Replace the field's name at the start of an error by its flag."""
        field, _, rest = str(error).partition(" ")
        flags = {action.dest: action.option_strings[0] for action in self._actions if action.option_strings}
        return OptionError(f"{flags[field]} {rest}") if field in flags else error

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith((".", "?")) else "."
        sys.stderr.write(f"{self.prog}: {message}{end} See '{self.prog} --help'.\n")
        raise SystemExit(EXIT_USAGE)

    def unknown_arguments(self, arguments: Sequence[str]) -> NoReturn:
        known = [name for action in self._actions for name in action.option_strings]
        first = arguments[0].split("=", 1)[0]
        longer = [name for name in known if name.endswith(f"-{first.lstrip('-')}")]  # --translation-model for --model
        close = longer or get_close_matches(first, known, n=1, cutoff=0.7) if first.startswith("-") else []
        hint = f"; did you mean {close[0]}?" if close else ""
        kind = "unknown option" if first.startswith("-") else "unexpected argument"
        self.error(f"{kind} {first!r}{hint}")


class _Version(argparse.Action):
    """Prints the version; looked up only when requested."""

    def __call__(self, *_: object) -> NoReturn:
        from app.preferences.program import version

        print(f"earshot {version()}")
        raise SystemExit(EXIT_DONE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    _replace_closed_streams()
    _tolerate_narrow_encodings()
    code = _attempt(list(sys.argv[1:] if argv is None else argv))
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_output()
    except OSError as error:
        _silence_output()
        if code == EXIT_DONE:
            return _complain(error.strerror, EXIT_PROBLEM)
    return code


def _attempt(arguments: list[str]) -> int:
    """Run one command; turn an error into one line and an exit code."""
    try:
        return _run(arguments)
    except SystemExit as stop:  # raised by argparse
        return stop.code if isinstance(stop.code, int) else EXIT_PROBLEM
    except OptionError as error:
        return _complain(error, EXIT_USAGE)
    except EngineError as error:
        return _complain(error, EXIT_PROBLEM)
    except ImportError as error:
        return _complain(error_sentence(error), EXIT_PROBLEM)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of the output has ended, as `| head` does
        return EXIT_DONE
    except OSError as error:
        reason = error.strerror or str(error)
        return _complain(f"{error.filename}: {reason}" if error.filename else reason, EXIT_PROBLEM)


def make_parser() -> Parser:
    """Build the parser of all commands."""
    parser = Parser(
        prog="earshot",
        description="Live captions of what this computer hears and an assistant that answers, made on this computer. "
        "Without a command: the window.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=window.run, hidden=False)
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", dest="command", parser_class=Parser)
    for module in _COMMANDS:
        module.add_to(commands)
    for name in _LAB_COMMANDS if _has_lab() else ():
        import_module(f"lab.commands.{name}").add_to(commands)
    return parser


def _run(arguments: list[str]) -> int:
    parser = make_parser()
    if _is_a_file(arguments):  # as a desktop opens a file
        return window.open_window(arguments)
    _check_command(parser, arguments)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        options.parser.unknown_arguments(unknown)
    try:
        code: int = options.run(options)
    except OptionError as error:
        raise options.parser.named(error) from None
    return code


def _names() -> list[str]:
    return [*(module.NAME for module in _COMMANDS), *_LAB_COMMANDS]


def _has_lab() -> bool:
    """Return whether this is a clone of the repository: an installed Earshot has no benches and recipes."""
    return find_spec("lab") is not None and find_spec("lab.commands") is not None


def _is_a_file(arguments: Sequence[str]) -> bool:
    return bool(arguments) and arguments[0] not in _names() and os.path.isfile(arguments[0])


def _check_command(parser: Parser, arguments: Sequence[str]) -> None:
    """Refuse a mistyped command, with the nearest match, or one that needs a clone."""
    names = _names()
    if arguments and arguments[0] in _LAB_COMMANDS and not _has_lab():
        parser.error(f"{arguments[0]!r} comes with a clone of the repository, not with an installed Earshot")
    if not arguments or arguments[0].startswith("-") or arguments[0] in names:
        return
    if os.path.splitext(arguments[0])[1]:
        raise EngineError(f"There is no file {arguments[0]}.")
    close = get_close_matches(arguments[0], names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"the commands are {', '.join(names)}"
    parser.error(f"there is no command {arguments[0]!r}; {hint}")


def _complain(problem: object, code: int) -> int:
    sys.stderr.write(f"earshot: {' '.join(str(problem).split())}\n")
    return code


def _replace_closed_streams() -> None:
    """Redirect output to nothing if it was closed before the start, as by `>&-`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (it lasts as long as the process)


def _tolerate_narrow_encodings() -> None:
    """Print characters that the terminal's encoding lacks as a question mark, instead of failing in a caption."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _silence_output() -> None:
    """Discard buffered output, so that the flush at exit cannot fail again."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
