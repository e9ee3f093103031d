"""`earshot caption`: a recording, a pipe or the microphone as captions."""

from __future__ import annotations

import argparse
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from app.terminal.commands.decoder_options import add_decoder_options, decode_options
from app.terminal.commands.flags import settings_of
from app.terminal.commands.translation_options import add_translation_options, translation_choice
from engine.audio.source import RATES_HZ
from engine.errors import OptionError
from engine.models.into_english import translates_into_english
from engine.options import CaptionOptions, Policy, Reuse, Trimming, check_range
from engine.process.messages import TranslationChoice

if TYPE_CHECKING:
    from app.sound.audio_sources import Source

NAME = "caption"
DEFAULTS = CaptionOptions()
_way = attrgetter("step_seconds", "policy", "attention_margin_seconds", "certain_probability", "decode")

_EPILOG = """\
examples:
  earshot caption talk.mp3                           captions on the terminal, as fast as they can be made
  earshot caption talk.mp3 --realtime                at the pace of speech
  earshot caption talk.mp3 --careful                 with fewer mistakes, in less time
  earshot caption talk.mp3 --export talk.srt --export talk.txt    carefully, too
  earshot caption talk.mp3 --translate de --export talk.srt
  earshot caption --mic --export meeting.vtt         the microphone, until Ctrl-C
  earshot caption --mic --computer --export call.vtt both sides of a call, each by its name
  earshot caption film.mkv --export film.srt         films and compressed sound, too

Captions go to standard output, everything else to standard error. Ctrl-C hears what was said so far to its end,
then prints the summary and writes the exports; a second Ctrl-C stops at once.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        NAME,
        help="caption a recording, a pipe or the microphone",
        description="Caption a recording, a pipe or the microphone.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE",
        help="a recording or a film; '-' reads one, or raw mono 16-bit PCM, from a pipe",
    )  # fmt: skip
    parser.add_argument(
        "--mic", nargs="?", const="", metavar="DEVICE",
        help="hear a microphone: the default one, or one by its name or number",
    )  # fmt: skip
    parser.add_argument(
        "--computer", nargs="?", const="", metavar="DEVICE",
        help="hear what this computer plays; with --mic as two sides, You and Call",
    )  # fmt: skip
    parser.add_argument(
        "--track", type=int, metavar="N",
        help="of several sound tracks, hear the Nth (default: the one in --language, else the film's own default)",
    )  # fmt: skip
    parser.add_argument(
        "--rate", type=int, default=16_000, metavar="HZ", help="samples a second of raw PCM (default: %(default)s)"
    )
    parser.add_argument(
        "--call", type=Path, metavar="FILE",
        help="with FILE, a recording of the other side of a call that begins at the same moment: You and Call",
    )  # fmt: skip
    _add_hearing_options(parser)
    add_translation_options(parser, "--translate")
    _add_output_options(parser)
    parser.set_defaults(run=run)


def _add_hearing_options(parser: argparse.ArgumentParser) -> None:
    hearing = parser.add_argument_group("hearing")
    add_model_option(hearing)
    hearing.add_argument("--language", metavar="CODE", help="the language spoken, such as en (default: detected)")
    hearing.add_argument("--languages", metavar="A,B", default="", help="languages that detection may choose from")
    hearing.add_argument(
        "--into-english", action="store_true",
        help="write in English what is said in another language: the model that hears translates, if it knows several",
    )  # fmt: skip
    hearing.add_argument(
        "--policy", choices=get_args(Policy), default=DEFAULTS.policy,
        help="words are committed once rounds agree, or at once by attention (default: %(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--agreement", type=int, metavar="N", default=DEFAULTS.agreement,
        help="hypotheses that must agree before a word is committed (default: %(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--attention-margin-seconds", type=float, metavar="S", default=DEFAULTS.attention_margin_seconds,
        help="for alignatt: how far from the end of the audio the decoder must have looked (default: %(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--certain-probability", type=float, metavar="P", default=DEFAULTS.certain_probability,
        help="for alignatt: a word that is less likely waits until rounds agree (default: %(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--step-seconds", type=float, metavar="S", default=DEFAULTS.step_seconds,
        help="new audio between two rounds of hearing, at least: the more they cost, the longer it gets (default: "
        "%(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--buffer-seconds", type=float, metavar="S", default=DEFAULTS.buffer_seconds,
        help="audio that each round hears again (default: what suits the model)",
    )  # fmt: skip
    hearing.add_argument(
        "--trimming", choices=get_args(Trimming), default=DEFAULTS.trimming,
        help="where that audio is cut (default: %(default)s)",
    )  # fmt: skip
    add_decoder_options(hearing)
    hearing.add_argument(
        "--reuse", choices=get_args(Reuse), default=DEFAULTS.decode.reuse,
        help="what is done with what the last round heard (default: %(default)s)",
    )  # fmt: skip
    hearing.add_argument(
        "--padding", metavar="HOW", default=DEFAULTS.padding,
        help="full, none, zeros:S, noise:S, hush or silence_cache (default: what suits the model)",
    )  # fmt: skip
    hearing.add_argument(
        "--pipeline", action=argparse.BooleanOptionalAction, default=DEFAULTS.pipeline,
        help="encode a round while the one before it is still decoded (default: as 'earshot profile' found best)",
    )  # fmt: skip
    hearing.add_argument("--no-voice-gate", action="store_true", help="hear silence too instead of skipping it")


def add_model_option(parser: argparse._ActionsContainer) -> None:
    """Add --model, the same in every command."""
    parser.add_argument(
        "--model", default="starter", metavar="NAME|FOLDER",
        help="the hearing model: one that 'earshot models' lists, a folder, or a file of whisper.cpp's "
        "(default: %(default)s)",
    )  # fmt: skip


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--realtime", action="store_true", help="feed the audio at the pace of speech")
    pace.add_argument(
        "--fast", action="store_true",
        help="feed it as fast as it is heard, with the times and the mistakes of a live session (default)",
    )  # fmt: skip
    pace.add_argument(
        "--careful", action="store_true",
        help="hear it with about a quarter fewer mistakes and in less time, which nobody could read along with "
        "(default where a file is exported)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print every revision as a JSON line, a summary last")
    parser.add_argument(
        "--export", action="append", type=Path, default=[], metavar="OUT",
        help="write the captions to a .srt, .vtt, .txt, .md, .docx, .csv or .json file, replacing it; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--settings", metavar="FILE",
        help="hear, and translate, by settings as the window exports them, in place of the options above",
    )  # fmt: skip
    parser.add_argument(
        "--separate", action="store_true",
        help="write captions and translation to files of their own, as OUT.en.srt and OUT.de.srt",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Caption what the options name."""
    model, chosen, translation = _hearing(options)
    _check_source(options)
    from app.history.export.exporting import check_target
    from app.terminal.caption_run import Exports, caption

    if options.separate and not (translation and options.export):
        raise OptionError("--separate is for the export of a translation: add --translate CODE and --export OUT.")
    for path in options.export:
        check_target(path)
    source = open_source(options)
    caption(
        source,
        chosen,
        model=model,
        pace="realtime" if options.realtime or is_live(options) else "fast",
        greeting=f"Listening to {source.name}. Ctrl-C ends." if is_live(options) else "",
        as_json=options.json,
        exports=Exports(tuple(options.export), options.separate),
        translation=translation,
        carefully=options.careful or _is_written_down(options, chosen),
    )
    return 0


def _is_written_down(options: argparse.Namespace, chosen: CaptionOptions) -> bool:
    """Tell whether a file is exported, and neither its pace nor the way it is heard was chosen."""
    paced = options.realtime or options.fast or options.settings is not None
    is_file = options.file not in (None, "-")
    as_spoken = replace(chosen, decode=replace(chosen.decode, into_english=False))  # which is no way of hearing
    return bool(options.export) and is_file and not paced and _way(as_spoken) == _way(DEFAULTS)


def _hearing(options: argparse.Namespace) -> tuple[str, CaptionOptions, TranslationChoice | None]:
    """Give the model, how it hears and what is translated: by the flags, or by the window's settings."""
    if options.settings is None:
        chosen = caption_options(options)
        if chosen.decode.into_english and not translates_into_english(options.model):
            raise OptionError(
                f"The model {options.model} translates nothing into English: choose one that knows several languages, "
                "such as base."
            )
        return options.model, chosen, translation_choice(options, chosen.language)
    settings = settings_of(options.settings)
    return settings.models.hearing, settings.captions, settings.translation_choice


def caption_options(options: argparse.Namespace) -> CaptionOptions:
    """Turn flags into checked options."""
    return CaptionOptions(
        language=options.language.lower() if options.language else None,
        allowed_languages=_codes(options.languages),
        step_seconds=options.step_seconds,
        policy=options.policy,
        agreement=options.agreement,
        attention_margin_seconds=options.attention_margin_seconds,
        certain_probability=options.certain_probability,
        padding=options.padding,
        pipeline=options.pipeline,
        buffer_seconds=options.buffer_seconds,
        trimming=options.trimming,
        voice_gate=not options.no_voice_gate,
        decode=replace(decode_options(options, options.reuse), into_english=options.into_english),
    )


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip().lower() for code in text.split(",") if code.strip())


def is_live(options: argparse.Namespace) -> bool:
    """Tell whether a device is heard, rather than a recording or a pipe."""
    return options.mic is not None or options.computer is not None


def _check_source(options: argparse.Namespace) -> None:
    if (options.file is None) != is_live(options):
        raise OptionError(
            "Give either a file or --mic, not both."
            if options.file is not None
            else "Nothing to caption: give a file, '-' for a pipe, --mic or --computer."
        )
    for flag, given in (("--fast", options.fast), ("--careful", options.careful)):
        if is_live(options) and given:
            raise OptionError(f"{flag} is for recordings: a microphone cannot be heard faster than people speak.")
    check_range("rate", options.rate, RATES_HZ.start, RATES_HZ.stop - 1)
    if options.call is not None and options.file in (None, "-"):
        raise OptionError("--call is for two recordings: give the one of your side, too.")


def open_source(options: argparse.Namespace) -> Source:
    """Find what the options name, so that a problem with it shows before a model is loaded."""
    from app.sound.audio_sources import AudioFile, TwoSides
    from app.terminal.open_source import find_computer, find_microphone, open_pipe
    from engine.audio.decoding import TrackChoice

    if options.mic is not None and options.computer is not None:
        here, there = find_microphone(options.mic or None), find_computer(options.computer or None)
        return TwoSides(here, there, f"{here.name} and {there.name}")
    if options.computer is not None:
        return find_computer(options.computer or None)
    if options.mic is not None:
        return find_microphone(options.mic or None)
    track = TrackChoice(options.track, options.language.lower() if options.language else None)
    if options.file == "-":
        return open_pipe(options.rate, track)
    file = AudioFile(Path(options.file), at_once=True, choice=track)
    if options.call is None:
        return file
    return TwoSides(file, AudioFile(options.call, at_once=True), f"{file.name} and {options.call.name}")
