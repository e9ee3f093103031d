"""`earshot ask`: a conversation with the assistant, typed or spoken."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from app.terminal.commands.caption import add_model_option
from engine.errors import OptionError
from engine.options import (
    VOICES,
    AnswerOptions,
    AssistantOptions,
    CaptionOptions,
    Generation,
    TurnOptions,
    Verifier,
    VoiceOptions,
)

if TYPE_CHECKING:
    from app.terminal.ask_run import Choice

NAME = "ask"
DEFAULTS = AssistantOptions()
USUAL_MODEL = "starter-assistant"

_EPILOG = """\
examples:
  earshot ask "What can you do?"                     one question, one answer
  earshot ask                                        type, and read the answers; Ctrl-D ends
  earshot ask --aloud                                the same, with the answers said aloud
  earshot ask --mic                                  speak, and hear the answers; Ctrl-C ends
  earshot ask --audio question.wav --speech reply.wav
  earshot ask --audio question.wav --json            every event, and how long each turn took

The conversation goes to standard output, everything else to standard error. While a question is still being asked, the
assistant already answers what it has heard of it; --no-speculation waits for the end. Speak while it speaks, and it
stops. In writing, Ctrl-C stops an answer that is being given and no more; else it ends the conversation. A second one
stops at once.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="ask the assistant, in writing or aloud",
        description="Ask the assistant: a question, a typed conversation, a recording, or the microphone.",
        epilog=_EPILOG,
    )
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the question (default: one a line, as they are typed)")
    parser.add_argument("--audio", metavar="FILE", help="hear the questions of a recording: WAV, FLAC, OGG, MP3 …")
    parser.add_argument(
        "--mic", nargs="?", const="", metavar="DEVICE",
        help="hear a microphone: the default one, or one by its name or number",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print every event as a JSON line, a summary last")
    _add_answer_options(parser)
    _add_voice_options(parser)
    _add_hearing_options(parser)
    parser.set_defaults(run=run)


def _add_answer_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("answering")
    group.add_argument(
        "--assistant-model", default=USUAL_MODEL, metavar="NAME|FOLDER",
        help="the language model; 'earshot models' lists them (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--verifier", choices=get_args(Verifier), default=DEFAULTS.answer.verifier,
        help="what of the last guess is kept when the question has grown; greedy answers as without guessing "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--top-k", type=int, metavar="K",
        help=f"for top-k: tokens that count as likely (default: {DEFAULTS.answer.top_k})",
    )  # fmt: skip
    group.add_argument(
        "--bias", type=float, metavar="B",
        help=f"for biased: steadiness, how much the last guess is preferred, 0 to 1 (default: {DEFAULTS.answer.bias})",
    )  # fmt: skip
    group.add_argument(
        "--generation", choices=get_args(Generation), default=DEFAULTS.answer.generation,
        help="a token after another, or blocks that are corrected until they stand (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--reply-tokens", type=int, metavar="N", default=DEFAULTS.answer.reply_tokens,
        help="the most of a reply (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--branches", type=int, metavar="N", default=DEFAULTS.answer.branches,
        help="other answers that are made ahead beside each guess, for where it fails (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--last-word", action=argparse.BooleanOptionalAction, default=DEFAULTS.answer.last_word,
        help="guess for what was said with its last word too, which may be cut off (default: %(default)s)",
    )  # fmt: skip
    group.add_argument("--no-speculation", action="store_true", help="answer only when the question has ended")


def _add_voice_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("speaking")
    group.add_argument("--aloud", action="store_true", help="say the answers aloud, as --mic does anyway")
    group.add_argument(
        "--output", metavar="DEVICE", help="say them on this device, by its name or number (default: the system's)"
    )
    group.add_argument("--speech", type=Path, metavar="OUT.wav", help="write what is said to a file, replacing it")
    group.add_argument("--silent", action="store_true", help="answer in writing alone")
    group.add_argument(
        "--voice", choices=VOICES, default=DEFAULTS.voice.voice, help="what speaks (default: %(default)s)"
    )
    group.add_argument("--speaker", metavar="NAME", help="a speaker of that voice, such as en-gb or de")
    group.add_argument(
        "--rate", dest="words_per_minute", type=int, metavar="WPM", default=DEFAULTS.voice.words_per_minute,
        help="words a minute (default: %(default)s)",
    )  # fmt: skip


def _add_hearing_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("hearing")
    add_model_option(group)
    group.add_argument("--language", metavar="CODE", help="the language spoken, such as en (default: detected)")
    group.add_argument("--realtime", action="store_true", help="hear the recording at the pace of speech")
    group.add_argument("--push-to-talk", action="store_true", help="the Enter key begins and ends what you say")
    group.add_argument("--no-barge-in", action="store_true", help="do not listen while the assistant speaks")


def run(options: argparse.Namespace) -> int:
    """Hold the conversation that the options name."""
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
    """Turn flags into checked options."""
    from app.terminal.ask_run import Choice

    answer = AnswerOptions(
        speculate=not options.no_speculation,
        verifier=options.verifier,
        top_k=DEFAULTS.answer.top_k if options.top_k is None else options.top_k,
        bias=DEFAULTS.answer.bias if options.bias is None else options.bias,
        generation=options.generation,
        branches=options.branches,
        last_word=options.last_word,
        reply_tokens=options.reply_tokens,
    )
    voice = VoiceOptions(options.voice, options.speaker, options.words_per_minute)
    turns = TurnOptions(push_to_talk=options.push_to_talk, barge_in=not options.no_barge_in)
    captions = CaptionOptions(language=options.language.lower() if options.language else None)
    return Choice(
        AssistantOptions(answer, voice, turns),
        captions,
        model=options.model,
        assistant_model=options.assistant_model,
        aloud=not options.silent and (options.aloud or options.output is not None or options.mic is not None),
        output=options.output,
        speech=options.speech,
        silent=options.silent,
        as_json=options.json,
    )


def _check_source(options: argparse.Namespace) -> None:
    """Refuse sources that exclude each other, and options that are about another source."""
    heard = options.audio is not None or options.mic is not None
    if (options.text is not None) + (options.audio is not None) + (options.mic is not None) > 1:
        raise OptionError("Give either a question, --audio FILE or --mic, not several of them.")
    if options.text is not None and not options.text.strip():
        raise OptionError("There is no question in an empty text.")
    if options.realtime and options.audio is None:
        raise OptionError("--realtime is for recordings: add --audio FILE.")
    for flag, given in (("--language", options.language is not None), ("--no-barge-in", options.no_barge_in)):
        if given and not heard:
            raise OptionError(f"{flag} is about hearing: add --audio FILE or --mic.")
    if options.push_to_talk and options.mic is None:
        raise OptionError("--push-to-talk is for a microphone: add --mic.")
    if options.push_to_talk and not (sys.stdin is not None and sys.stdin.isatty()):
        raise OptionError("--push-to-talk needs a terminal, whose Enter key it waits for.")


def _check_sound(options: argparse.Namespace) -> None:
    """Refuse options that contradict each other."""
    sounds = {"--aloud": options.aloud, "--output": options.output, "--speech": options.speech}
    for flag, given in sounds.items():
        if given and options.silent:
            raise OptionError(f"--silent and {flag} contradict each other.")
    for flag, value, verifier in (("--top-k", options.top_k, "top-k"), ("--bias", options.bias, "biased")):
        if value is not None and options.verifier != verifier:
            raise OptionError(f"{flag} is about one verifier: add --verifier {verifier}.")
