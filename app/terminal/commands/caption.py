"""`earshot caption`: a recording, a pipe or the microphone as captions."""

from __future__ import annotations

import argparse
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from app.preferences.changes import with_voice
from app.preferences.preferences import Preferences
from app.terminal.commands.decoder_options import (
    add_decoder_options,
    add_vocabulary_option,
    decode_options,
    given_decoder_flags,
    with_vocabulary,
)
from app.terminal.commands.flags import add_settings_option, leave_out_of_help, settings_of
from app.terminal.commands.translation_options import add_translation_options, translation_choice
from engine.errors import OptionError
from engine.models.into_english import translates_into_english
from engine.options import CaptionOptions, Policy, Reuse, VoiceOptions, check_range
from engine.process.messages import TranslationChoice
from engine.speakers.search import SpeakerSearch
from engine.translate.languages import spoken_code

if TYPE_CHECKING:
    from app.sound.audio_sources import Source
    from app.terminal.spoken_out import SpokenOut

NAME = "caption"
DEFAULTS = CaptionOptions()
USUAL_MODEL = "starter"
SELDOM_NEEDED = frozenset(
    (
        "--policy",
        "--reuse",
        "--decoder",
        "--beam",
        "--padding",
        "--pipeline",
        "--no-pipeline",
        "--bias",
        "--mask",
        "--rate",
        "--track",
        "--second-look",
        "--no-second-look",
        "--second-model",
        "--speak-out",
        "--voice",
        "--separate",
    )
)
"""Options of the published methods and other rare ones, which --help leaves out."""
_way = attrgetter("step_seconds", "policy", "attention_margin_seconds", "certain_probability", "decode")

_EPILOG = """\
examples:
  earshot caption talk.mp3                           captions on the terminal, as fast as they can be made
  earshot caption talk.mp3 --realtime                at the pace of speech
  earshot caption talk.mp3 --careful                 with fewer mistakes, in less time
  earshot caption talk.mp3 --export talk.srt --export talk.txt    carefully, too
  earshot caption talk.mp3 --translate de --export talk.srt
  earshot caption --computer --translate de --speak HEADPHONES    spoken while others speak
  earshot caption --mic --export meeting.vtt         the microphone, until Ctrl-C
  earshot caption --mic --speakers                   with who says what, as soon as that is sure
  earshot caption --mic --computer --export call.vtt both sides of a call, each by its name
  earshot caption talk.mp3 --speakers --export talk.srt           who says what
  earshot caption interview.wav --channels Anna,Ben  two people, each on a channel of their own
  earshot caption film.mkv --export film.srt         films and compressed sound, too
  earshot caption --mic --live now.txt --live now.srt             for OBS and scripts, while it runs
  earshot caption talk.mp3 --settings mine.json      with settings that the window has exported

Captions go to standard output, everything else to standard error. Ctrl-C hears what was said so far to its end,
then prints the summary and writes the exports; a second Ctrl-C stops at once.
"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
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
        "--speakers", type=_number_of_speakers, nargs="?", const=0, metavar="N",
        help="tell the speakers apart: N of them in a recording, or as many as there seem to be; live, each line gets "
        "its speaker as soon as that is sure",
    )  # fmt: skip
    parser.add_argument(
        "--call", type=Path, metavar="FILE",
        help="with FILE, a recording of the other side of a call that begins at the same moment: You and Call",
    )  # fmt: skip
    parser.add_argument(
        "--channels", metavar="sides|A,B",
        help="hear the two channels of FILE as two sides, called Left and Right, or A and B",
    )  # fmt: skip
    _add_hearing_options(parser)
    add_translation_options(parser, "--translate")
    _add_output_options(parser)
    leave_out_of_help(parser, SELDOM_NEEDED)
    parser.set_defaults(run=run)


def _add_hearing_options(parser: argparse.ArgumentParser) -> None:
    hearing = parser.add_argument_group("hearing")
    add_model_option(hearing, default=None)
    hearing.add_argument("--language", metavar="CODE", help="the language spoken, such as en (default: detected)")
    hearing.add_argument(
        "--into-english", action="store_true",
        help="write other languages in English; a model that knows several does",
    )  # fmt: skip
    hearing.add_argument(
        "--policy", choices=get_args(Policy),
        help=f"commit words once rounds agree, or at once by attention (default: {DEFAULTS.policy})",
    )  # fmt: skip
    hearing.add_argument(
        "--reuse", choices=get_args(Reuse),
        help=f"use of the last round's text; prune is WhisperFlow's beam pruning (default: {DEFAULTS.decode.reuse})",
    )  # fmt: skip
    add_decoder_options(hearing)
    add_vocabulary_option(hearing)
    hearing.add_argument(
        "--padding", metavar="HOW",
        help="full, none, zeros:S, noise:S, hush (word) or silence_cache (default: what suits the model)",
    )  # fmt: skip
    hearing.add_argument(
        "--pipeline", action=argparse.BooleanOptionalAction, default=None,
        help="encode a round while the last is still decoded (default: as 'earshot profile' found best)",
    )  # fmt: skip
    hearing.add_argument(
        "--second-look", action=argparse.BooleanOptionalAction, default=None,
        help="with --export or --json, hear finished captions again and correct them once (default: yes)",
    )  # fmt: skip
    hearing.add_argument(
        "--second-model", metavar="NAME|FOLDER",
        help="the model that hears them again, such as a larger one (default: the one that hears live)",
    )  # fmt: skip
    add_settings_option(hearing, "how to hear and translate")


def _number_of_speakers(given: str) -> int:
    if not given.isdecimal() or int(given) < 1:
        raise argparse.ArgumentTypeError(f"the number of speakers is 1 or more, or left out, not {given!r}")
    return int(given)


def add_model_option(parser: argparse._ActionsContainer, default: str | None = USUAL_MODEL) -> None:
    """Add --model, which several commands share; with a default of None the settings name the model."""
    parser.add_argument(
        "--model", default=default, metavar="NAME|FOLDER",
        help=f"the hearing model: one of 'earshot models', a folder or a whisper.cpp file (default: {USUAL_MODEL})",
    )  # fmt: skip


def _add_output_options(parser: argparse.ArgumentParser) -> None:
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--realtime", action="store_true", help="feed the audio at the pace of speech")
    pace.add_argument(
        "--careful", action="store_true",
        help="transcribe instead of captioning live: faster, with fewer mistakes, in larger pieces (default with "
        "--export)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print every revision as a JSON line, a summary last")
    parser.add_argument(
        "--export", action="append", type=Path, default=[], metavar="OUT",
        help="write the captions to a .srt, .vtt, .txt, .md, .docx, .csv, .rttm or .json file; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--live", action="append", type=Path, default=[], metavar="OUT",
        help="keep a .txt file with the newest two lines, or a .srt file that grows, while captions run; may be "
        "repeated",
    )  # fmt: skip
    parser.add_argument(
        "--speak", nargs="?", const="", metavar="DEVICE",
        help="speak the translation while somebody speaks, for headphones",
    )  # fmt: skip
    parser.add_argument("--speak-out", type=Path, metavar="OUT", help="write the spoken translation to a .wav file")
    parser.add_argument(
        "--voice", metavar="NAME|FOLDER",
        help="what speaks: espeak, or a voice of 'earshot models'; espeak where it does not know the language "
        f"(default: {VoiceOptions().voice})",
    )  # fmt: skip
    parser.add_argument(
        "--separate", action="store_true",
        help="write captions and translation to files of their own, as OUT.en.srt and OUT.de.srt",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Caption the source that the options describe."""
    model, chosen, translation = _hearing(options)
    _check_source(options)
    from app.history.export.exporting import check_target
    from app.history.export.live_files import check_live_file
    from app.terminal.caption_run import ExportFiles, caption

    if options.separate and not (translation and options.export):
        raise OptionError("--separate is for the export of a translation: add --translate CODE and --export OUT.")
    for path in options.export:
        check_target(path)
    for path in options.live:
        check_live_file(path)
    source = open_source(options)
    with_file_options = options.careful or _is_written_down(options, chosen)
    spoken = _spoken(options, source, translation, live=not with_file_options)
    labels_live = _labels_live(options)
    if options.speakers is not None and labels_live:
        chosen = replace(chosen, speakers=True)
    caption(
        source,
        chosen,
        model=model,
        pace="realtime" if options.realtime or is_live(options) else "fast",
        greeting=f"Listening to {source.name}. Ctrl-C ends." if is_live(options) else "",
        as_json=options.json,
        exports=ExportFiles(tuple(options.export), options.separate, tuple(options.live)),
        translation=translation,
        with_file_options=with_file_options,
        speakers=None if options.speakers is None or labels_live else SpeakerSearch(options.speakers or None),
        own_search=bool(given_decoder_flags(options)),
        spoken=spoken,
    )
    return 0


def _spoken(
    options: argparse.Namespace, source: Source, translation: TranslationChoice | None, *, live: bool
) -> SpokenOut | None:
    """Return where the spoken translation goes; None if nothing is spoken."""
    if not _speaks(options):
        if options.voice is not None:
            raise OptionError("--voice speaks the translation: add --speak or --speak-out.")
        return None
    if translation is None or not live:
        raise OptionError("--speak and --speak-out are for live translation: add --translate CODE, without --export.")
    if options.speak is not None and not (options.realtime or is_live(options)):
        raise OptionError("--speak plays while somebody speaks: add --realtime, or write a file with --speak-out.")
    from app.sound.output_devices import check_output
    from app.sound.own_voice import OwnVoice, is_recorded
    from app.sound.playback import Player
    from app.terminal.open_source import device_of
    from app.terminal.spoken_out import SpokenOut, check_sound_file

    if options.speak_out is not None:
        check_sound_file(options.speak_out)
    voice = None
    if options.speak is not None:
        if is_recorded(source, options.speak or None):
            raise OptionError("What is spoken there would be captioned: give --speak another DEVICE.")
        device = device_of(options.speak or None)
        if device is not None:
            check_output(device)
        voice = OwnVoice(Player(device))
    return SpokenOut(voice, options.speak_out)


def _speaks(options: argparse.Namespace) -> bool:
    return options.speak is not None or options.speak_out is not None


def _is_written_down(options: argparse.Namespace, chosen: CaptionOptions) -> bool:
    """Return whether a recording is exported with neither --realtime nor options of the recognition method."""
    # What is written and which words are known are no options of the method.
    as_spoken = replace(chosen, decode=replace(chosen.decode, into_english=False, vocabulary=()))
    return bool(options.export) and _is_whole(options) and not options.realtime and _way(as_spoken) == _way(DEFAULTS)


def _hearing(options: argparse.Namespace) -> tuple[str, CaptionOptions, TranslationChoice | None]:
    """Return the model, the caption options and the translation: the settings, changed by the flags."""
    settings = settings_of(options.settings) if options.settings is not None else Preferences()
    model: str = options.model or settings.models.hearing
    chosen = caption_options(options, settings.captions)
    translation = translation_choice(options, chosen.language, settings)
    by_ear = translation is not None and translation.by_ear
    if (chosen.decode.into_english or by_ear) and not translates_into_english(model):
        raise OptionError(
            f"The model {model} translates nothing into English: choose one that knows several languages, such as base."
        )
    if translation is not None and _speaks(options):
        voice = with_voice(settings, options.voice) if options.voice else settings
        translation = replace(translation, voice=voice.assistant.voice)
    return model, chosen, translation


def caption_options(options: argparse.Namespace, base: CaptionOptions = DEFAULTS) -> CaptionOptions:
    """Return options, changed by the flags.

    Raises:
        OptionError: a flag has a bad value.
    """
    chosen = {name: getattr(options, name) for name in ("policy", "padding", "pipeline", "second_look", "second_model")}
    if options.language:
        chosen |= {"language": spoken_code(options.language), "allowed_languages": ()}
    decode = decode_options(options, base.decode)
    decode = replace(
        decode, reuse=options.reuse or decode.reuse, into_english=options.into_english or decode.into_english
    )
    chosen |= {"decode": decode}
    changed = replace(base, **{name: value for name, value in chosen.items() if value is not None})
    return with_vocabulary(changed, options.vocabulary)


def is_live(options: argparse.Namespace) -> bool:
    """Return whether the source is a device rather than a recording or a pipe."""
    return options.mic is not None or options.computer is not None


def _labels_live(options: argparse.Namespace) -> bool:
    """Return whether speakers are told apart while captions are made, since the audio is not there as a whole."""
    return is_live(options) or not _is_whole(options) or bool(options.realtime)


def _is_whole(options: argparse.Namespace) -> bool:
    """Return whether the source is a file that is there as a whole."""
    return options.file is not None and not is_pipe(options.file)


def is_pipe(file: str) -> bool:
    """Return whether a source comes from another program: standard input, or a named pipe such as a shell's <(...)."""
    return file == "-" or Path(file).is_fifo()


def _check_source(options: argparse.Namespace) -> None:
    from engine.audio.source import RATES_HZ

    if (options.file is None) != is_live(options):
        raise OptionError(
            "Give either a file or live sound (--mic, --computer), not both."
            if options.file is not None
            else "Nothing to caption: give a file, '-' for a pipe, --mic or --computer."
        )
    if is_live(options) and options.careful:
        raise OptionError("--careful is for recordings: a microphone cannot be heard faster than people speak.")
    check_range("rate", options.rate, RATES_HZ.start, RATES_HZ.stop - 1)
    if options.speakers is not None and options.call is not None:
        raise OptionError("--speakers is for one recording, a pipe or devices, not for two recordings.")
    if options.speakers and _labels_live(options):
        raise OptionError("The number of speakers is for a recording that is there as a whole: live, leave it out.")
    if options.call is not None and not _is_whole(options):
        raise OptionError("--call is for two recordings: give the one of your side, too.")
    if options.channels is not None:
        _names_of_channels(options.channels)
        if not _is_whole(options) or options.call is not None or options.speakers is not None:
            raise OptionError("--channels is for one recording that is there as a whole: give its FILE.")


def _names_of_channels(given: str) -> tuple[str, str]:
    """Return what the two sides of a recording are called."""
    if given == "sides":
        return "Left", "Right"
    names = [each.strip() for each in given.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise OptionError(f"--channels must be 'sides' or two names, such as Anna,Ben, not {given!r}.")
    return names[0], names[1]


def open_source(options: argparse.Namespace) -> Source:
    """Open the source that the options describe, so that its errors show before a model is loaded."""
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
    track = TrackChoice(options.track, spoken_code(options.language) if options.language else None)
    if is_pipe(options.file):
        return open_pipe(options.file, options.rate, track)
    file = AudioFile(Path(options.file), at_once=True, choice=track)
    if options.channels is not None:
        left, right = (replace(file, choice=replace(track, channel=each)) for each in (0, 1))
        return TwoSides(left, right, file.name, _names_of_channels(options.channels))
    if options.call is None:
        return file
    return TwoSides(file, AudioFile(options.call, at_once=True), f"{file.name} and {options.call.name}")
