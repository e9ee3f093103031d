"""`earshot translate`: translate lines of text, finished or growing."""

from __future__ import annotations

import argparse

from app.terminal.commands.translation_options import add_translation_options, translation_choice
from engine.translate.languages import code_of

NAME = "translate"

_EPILOG = """\
examples:
  earshot translate --to de                          type lines, read their translations; Ctrl-D ends
  earshot translate --to de notes.txt > notizen.txt
  sort words.txt | earshot translate --to fr --lines every line by itself
  some-recogniser | earshot translate --to de --json a sentence a word at a time

Every line of a file, and every line that is typed, is a sentence by itself. Text that comes through a pipe may still
grow: a line that begins with the one before it is the same sentence, grown. Up to a third of the earlier line's
characters, at its end, may be rewritten if it does not end like a sentence. Any other line begins a new sentence, and
so does one after an empty line. With --lines, every line of a pipe is a sentence, too.

Translations go to standard output, everything else to standard error.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
    parser = commands.add_parser(
        NAME,
        help="translate lines of text",
        description="Translate lines of text, finished or still growing, as captions are translated.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="UTF-8 text (default: standard input, as '-')")
    parser.add_argument("--from", dest="source", metavar="CODE", help="the language of the text, such as en")
    parser.add_argument("--lines", action="store_true", help="take every line of a pipe for a finished sentence")
    parser.add_argument("--json", action="store_true", help="print every update as a JSON line, a summary last")
    add_translation_options(parser, "--to", required=True)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Translate the text that the options name."""
    choice = translation_choice(options, code_of(options.source) if options.source else None)
    assert choice is not None, "--to is required"
    from app.terminal.translate_run import translate

    translate(options.file, choice, whole_lines=options.lines, as_json=options.json)
    return 0
