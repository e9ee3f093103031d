"""`earshot demo`: a talk, with live captions."""

from __future__ import annotations

import argparse

from app.terminal.commands.caption import add_model_option
from app.terminal.commands.decoder_options import (
    add_decoder_options,
    add_vocabulary_option,
    decode_options,
    given_decoder_flags,
    with_vocabulary,
)
from app.terminal.commands.translation_options import add_target_option, translation_choice
from engine.errors import OptionError
from engine.options import CaptionOptions

NAME = "demo"
_GREETING = "A short talk on letters and print, captioned while you hear it. Ctrl-C ends."


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command with its options."""
    parser = commands.add_parser(
        NAME,
        help="hear a short talk, and watch the captions",
        description="Play two minutes of a talk, and caption it while it is heard.",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--window", action="store_true", help="show it in the window")
    shown.add_argument("--json", action="store_true", help="print every revision as a JSON line, a summary last")
    parser.add_argument("--silent", action="store_true", help="do not play it on the loudspeaker")
    parser.add_argument("--fast", action="store_true", help="as fast as it is heard instead of at the pace of speech")
    hearing = parser.add_argument_group("hearing")
    add_model_option(hearing)
    add_decoder_options(hearing)
    add_vocabulary_option(hearing)
    add_target_option(hearing, "--translate")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Caption the demo here, or in the window."""
    from app.sound.audio_sources import AudioFile, demo_clip
    from app.sound.playback import Player
    from app.sound.recording_sound import RecordingSound
    from app.terminal.caption_run import caption

    translation = translation_choice(options)
    chosen = with_vocabulary(CaptionOptions(decode=decode_options(options)), options.vocabulary)
    if options.window:
        if translation is not None:
            raise OptionError("--translate is for the terminal: in the window the language is chosen there.")
        if options.silent:
            raise OptionError("--silent is for the terminal: the window has a button to mute the demo.")
        if given := given_decoder_flags(options):
            raise OptionError(f"{given[0]} is for the terminal: in the window it is chosen under Tuning.")
        if options.vocabulary is not None:
            raise OptionError("--vocabulary is for the terminal: the window has its own list in the settings.")
        from app.terminal.commands.window import open_window

        return open_window([str(demo_clip()), "--model", options.model])

    quiet = options.fast or options.silent
    source = AudioFile(demo_clip(), sound=None if quiet else RecordingSound(Player), at_once=quiet)
    caption(
        source,
        chosen,
        model=options.model,
        pace="fast" if options.fast else "realtime",
        greeting=_GREETING,
        as_json=options.json,
        translation=translation,
    )
    return 0
