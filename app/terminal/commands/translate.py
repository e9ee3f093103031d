"""`earshot translate`: translate lines of text, finished or growing."""

from __future__ import annotations

import argparse

from app.terminal.commands.translation_options import add_translation_options, translation_choice

NAME = "translate"

_EPILOG = """\
examples:
  earshot translate --to de                          type lines, read their translations; Ctrl-D ends
  earshot translate --to de notes.txt > notizen.txt
  earshot translate --to fr --lines < subtitles.txt  every line by itself
  some-recogniser | earshot translate --to de --json a sentence a word at a time

A line that goes on with the one before it is the same sentence, grown: it begins with it, but for a third of its
characters, which may be rewritten at the end of a line that does not end as a sentence does. Any other line begins a
new sentence, and so does one after an empty line. With --lines, and at a terminal, every line is a sentence.

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
    parser.add_argument("--lines", action="store_true", help="take every line for a finished sentence")
    parser.add_argument("--json", action="store_true", help="print every update as a JSON line, a summary last")
    add_translation_options(parser, "--to", required=True)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Translate the text that the options name."""
    choice = translation_choice(options, options.source.strip().lower() if options.source else None)
    assert choice is not None, "--to is required"
    from app.terminal.translate_run import translate

    translate(options.file, choice, whole_lines=options.lines, as_json=options.json)
    return 0
