"""`earshot notes`: notes of a transcript, a recording or a kept session."""

from __future__ import annotations

import argparse

from app.terminal.commands.caption import USUAL_MODEL, add_model_option
from app.terminal.commands.flags import TRANSCRIPT
from engine.errors import OptionError
from engine.notes.template import TEMPLATES, USUAL

NAME = "notes"

_EPILOG = """\
examples:
  earshot notes talk.srt                             summary, decisions, tasks, open questions and topics
  earshot notes talk.mp3 --speakers > talk.md        of a recording, which is captioned first
  earshot notes last                                 of the newest session of the history
  earshot notes "Monday meeting"                     of the newest session with these words in its title
  earshot notes talk.txt --template lecture          with other sections
  earshot notes talk.txt --template mine.md          with your own, see assets/notes/README.md
  earshot notes talk.txt --assistant-model FOLDER    written by a language model

Without a language model, lines of the transcript are chosen and nothing is made up. Every note names when the lines
were said that it rests on; what a model writes and they do not support is left out. The notes go to standard output,
as Markdown, everything else to standard error.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
    parser = commands.add_parser(
        NAME,
        help="make notes of a transcript, a recording or a kept session",
        description="Make notes of a transcript, a recording or a kept session.",
        epilog=_EPILOG,
    )
    parser.add_argument("source", metavar="FILE|SESSION", help=TRANSCRIPT)
    parser.add_argument(
        "--template", default=USUAL, metavar="NAME|FILE",
        help=f"the sections: {', '.join(TEMPLATES)}, or a file (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON, with the captions that each note rests on")
    parser.add_argument(
        "--assistant-model", metavar="NAME|FOLDER",
        help="a general language model that writes the notes (default: none, lines are chosen)",
    )  # fmt: skip
    parser.add_argument("--language", metavar="CODE", help="the language spoken, such as de (default: en, or detected)")
    parser.add_argument("--speakers", action="store_true", help="tell the speakers of a recording apart")
    add_model_option(parser, default=None)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the notes of what the options name."""
    from app.terminal.notes_run import NotesChoice, print_notes
    from app.terminal.said import is_heard

    if not is_heard(options.source):
        if options.model is not None:
            raise OptionError("--model is about hearing: name a recording. --assistant-model writes notes.")
        if options.speakers:
            raise OptionError("--speakers is about hearing: name a recording.")
    hearing = options.model or USUAL_MODEL
    choice = NotesChoice(
        options.template, options.assistant_model, options.language, hearing, options.speakers, options.json
    )
    print_notes(options.source, choice)
    return 0
