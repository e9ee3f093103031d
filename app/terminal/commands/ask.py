"""`earshot ask`: a conversation with the assistant, typed or spoken."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from app.preferences.changes import with_voice
from app.preferences.preferences import Preferences
from app.terminal.commands.caption import add_model_option
from app.terminal.commands.decoder_options import add_vocabulary_option, with_vocabulary
from app.terminal.commands.flags import TRANSCRIPT, add_settings_option, settings_of
from engine.errors import OptionError
from engine.options import AssistantOptions, Verifier
from engine.translate.languages import spoken_code

if TYPE_CHECKING:
    from app.terminal.ask_run import Choice

NAME = "ask"
DEFAULTS = AssistantOptions()

_EPILOG = """\
examples:
  earshot ask "What can you do?"                     one question, one answer
  earshot ask                                        type, and read the answers; Ctrl-D ends
  earshot ask --aloud                                the same, with the answers said aloud
  earshot ask --mic                                  speak, and hear the answers; Ctrl-C ends
  earshot ask --audio question.wav --speech reply.wav
  earshot ask --transcript talk.srt "Who does what?" from the notes of a transcript, made at once
  earshot ask --audio question.wav --json            every event, and how long each turn took

The conversation goes to standard output, everything else to standard error. While a question is still being asked, the
assistant already answers what it has heard of it; --no-speculation waits for the end. Speak while it speaks, and it
stops. In writing, Ctrl-C stops an answer that is being given and no more; else it ends the conversation. A second one
stops at once. Speaker, rate, device, pauses and the length of answers are settings of the window (--settings FILE).
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
    parser = commands.add_parser(
        NAME,
        help="ask the assistant, in writing or aloud",
        description="Ask the assistant: a question, a typed conversation, a recording, or the microphone.",
        epilog=_EPILOG,
    )
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the question (default, or -: one a line, as typed)")
    parser.add_argument("--audio", metavar="FILE", help="hear the questions of a recording: WAV, FLAC, OGG, MP3 …")
    parser.add_argument(
        "--mic", nargs="?", const="", metavar="DEVICE",
        help="hear a microphone: the default one, or one by its name or number",
    )  # fmt: skip
    parser.add_argument(
        "--transcript", metavar="FILE|SESSION",
        help=f"answer what was said, decided or missed from this: {TRANSCRIPT} (default: the history)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print every event as a JSON line, a summary last")
    _add_answer_options(parser)
    _add_voice_options(parser)
    _add_hearing_options(parser)
    parser.set_defaults(run=run)


def _add_answer_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("answering")
    group.add_argument(
        "--assistant-model", metavar="NAME|FOLDER|FILE|ADDRESS",
        help="the language model, or the address of a server that has one, such as http://localhost:11434#MODEL; "
        f"'earshot models' lists them (default: {Preferences().models.assistant})",
    )  # fmt: skip
    group.add_argument(
        "--verifier", choices=get_args(Verifier),
        help="what to keep of the answer drafted so far when the question has grown; greedy changes no answer "
        f"(default: {DEFAULTS.answer.verifier})",
    )  # fmt: skip
    group.add_argument("--no-speculation", action="store_true", help="answer only when the question has ended")
    add_settings_option(group, "how to hear, answer and speak")


def _add_voice_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speaking")
    group.add_argument("--aloud", action="store_true", help="say the answers aloud, as --mic does anyway")
    group.add_argument("--speech", type=Path, metavar="OUT.wav", help="write what is said to a file, replacing it")
    group.add_argument("--silent", action="store_true", help="answer in writing alone")
    group.add_argument(
        "--voice", metavar="NAME|FOLDER",
        help="what speaks: espeak, piper, kokoro, another voice that 'earshot models' lists, or a folder with one; on "
        f"a Mac also system (default: {DEFAULTS.voice.voice})",
    )  # fmt: skip


def _add_hearing_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("hearing")
    add_model_option(group, default=None)
    group.add_argument("--language", metavar="CODE", help="the language spoken, such as en (default: detected)")
    add_vocabulary_option(group)
    group.add_argument("--realtime", action="store_true", help="hear the recording at the pace of speech")
    group.add_argument("--push-to-talk", action="store_true", help="the Enter key begins and ends what you say")


def run(options: argparse.Namespace) -> int:
    """Run the conversation that the options describe."""
    if options.text == "-":  # standard input, as for other commands
        options.text = None
    _check_source(options)
    _check_sound(options)
    choice = _choice(options)
    from app.terminal import ask_run
    from app.terminal.speech_file import check_speech_file

    if options.speech is not None:
        check_speech_file(options.speech)
    if options.audio is not None:
        ask_run.ask_recording(Path(options.audio), choice, realtime=options.realtime or choice.aloud)
    elif options.mic is not None:
        ask_run.ask_microphone(options.mic or None, choice)
    elif options.text is not None:
        ask_run.ask_once(options.text, choice)
    else:
        ask_run.ask_typed(choice)
    return 0


def _choice(options: argparse.Namespace) -> Choice:
    """Return the options of a conversation: settings from a file or the defaults, changed by the flags."""
    from app.terminal.ask_run import Choice
    from app.terminal.said import said_in

    settings = settings_of(options.settings) if options.settings is not None else Preferences()
    chosen = with_voice(settings, options.voice).assistant if options.voice else settings.assistant
    answer = replace(
        chosen.answer,
        speculate=chosen.answer.speculate and not options.no_speculation,
        verifier=options.verifier or chosen.answer.verifier,
    )
    held = chosen.turns.push_to_talk and options.mic is not None and _has_enter_key()
    captions = with_vocabulary(settings.captions, options.vocabulary)
    if options.language:
        captions = replace(captions, language=spoken_code(options.language), allowed_languages=())
    hearing = options.model or settings.models.hearing
    return Choice(
        replace(chosen, answer=answer, turns=replace(chosen.turns, push_to_talk=options.push_to_talk or held)),
        captions,
        model=hearing,
        assistant_model=options.assistant_model or settings.models.assistant,
        aloud=not options.silent and (options.aloud or options.mic is not None),
        output=settings.sound.output,
        speech=options.speech,
        silent=options.silent,
        as_json=options.json,
        said=said_in(options.transcript, hearing) if options.transcript is not None else None,
    )


def _check_source(options: argparse.Namespace) -> None:
    """Reject sources that exclude each other, and options of another source."""
    from app.terminal.said import is_heard

    heard = options.audio is not None or options.mic is not None
    if (options.text is not None) + (options.audio is not None) + (options.mic is not None) > 1:
        raise OptionError("Give either a question, --audio FILE or --mic, not several of them.")
    if options.text is not None and not options.text.strip():
        raise OptionError("There is no question in an empty text.")
    if options.realtime and options.audio is None:
        raise OptionError("--realtime is for recordings: add --audio FILE.")
    if options.language is not None and not heard:
        raise OptionError("--language is about hearing: add --audio FILE or --mic.")
    if options.vocabulary is not None and not heard:
        raise OptionError("--vocabulary is about hearing: add --audio FILE or --mic.")
    if options.model is not None and not heard and not is_heard(options.transcript or ""):
        raise OptionError("--model is about hearing: add --audio FILE or --mic. --assistant-model answers.")
    if options.push_to_talk and options.mic is None:
        raise OptionError("--push-to-talk is for a microphone: add --mic.")
    if options.push_to_talk and not _has_enter_key():
        raise OptionError("--push-to-talk needs a terminal, whose Enter key it waits for.")


def _has_enter_key() -> bool:
    """Return whether standard input is a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def _check_sound(options: argparse.Namespace) -> None:
    """Reject options that contradict each other."""
    sounds = {"--aloud": options.aloud, "--speech": options.speech, "--voice": options.voice}
    for flag, given in sounds.items():
        if given and options.silent:
            raise OptionError(f"--silent and {flag} contradict each other.")
    heard = options.audio is not None or options.mic is not None
    if options.voice is not None and not (options.aloud or options.speech or heard):
        raise OptionError("--voice is about speaking: add --aloud or --speech OUT.wav.")
