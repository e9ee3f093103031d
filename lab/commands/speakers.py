"""`earshot bench speakers`: who speaks when, and who said each word."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from app.terminal.screen import progress
from app.terminal.tables import table
from lab.commands.builder import Bench, Outcome, check_least

if TYPE_CHECKING:
    from lab.bench.speakers.measure import MeetingResult
    from lab.bench.speakers.meetings import Meeting

USUAL_MEETINGS, QUICK_MEETINGS = 9, 3
USUAL_MINUTES = 2.0
ONE_VOICE_MINUTES = 60.0
MOST_MINUTES = 600.0
VOICELESS_SECONDS = 60.0

_EPILOG = """\
Meetings of two, three and four people in turn are put together from LibriSpeech's speakers in the folder that
EARSHOT_TEST_DATA names (without it, from lab/people): each has a room and a loudness, one turn in five begins before
the last has ended, and there is noise. --rttm measures a recording whose turns are known. --one-voice counts the
speakers that are found in an hour of one reader, who is one of them, and in silence, music and coughs, which have none.

examples:
  earshot bench speakers --quick
  earshot bench speakers --rttm call.rttm --recording call.wav
  earshot bench speakers --one-voice --minutes 10
"""


def _add_options(bench: argparse.ArgumentParser) -> None:
    bench.add_argument("--meetings", type=int, default=USUAL_MEETINGS, metavar="N", help="default: %(default)s")
    bench.add_argument(
        "--minutes", type=float,
        help=f"of each meeting (default: {USUAL_MINUTES:g}), or of one voice (default: {ONE_VOICE_MINUTES:g})",
    )  # fmt: skip
    bench.add_argument(
        "--split", choices=("choose", "judge"), default="judge", help="which speakers (default: %(default)s)"
    )
    bench.add_argument("--quick", action="store_true", help=f"only {QUICK_MEETINGS} meetings")
    bench.add_argument("--turns-only", action="store_true", help="caption nothing: no figures of words")
    bench.add_argument("--recording", metavar="FILE", help="a recording to measure instead of meetings")
    bench.add_argument("--rttm", metavar="FILE", help="its turns")
    bench.add_argument("--one-voice", action="store_true", help="one voice, and sounds without one")
    add_model_option(bench)


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.speakers.diarization import Diarizer
    from lab.bench.errors import BenchError
    from lab.bench.speakers.measure import measure

    check_least(options, "meetings")
    if options.minutes is not None and not 0 < options.minutes <= MOST_MINUTES:
        raise BenchError(f"--minutes must be more than 0 and at most {MOST_MINUTES:g}, not {options.minutes:g}.")
    if options.one_voice:
        return _measure_one_voice(options)
    hear = None
    if not options.turns_only:
        from engine.process.loading import load_recognizer

        _, hear = load_recognizer(options.model)
    diarizer, results = Diarizer(), list["MeetingResult"]()
    with progress() as tell:
        for meeting in _meetings(options):
            tell(meeting.name)
            results.append(measure(meeting, diarizer, hear, time.process_time))
    figures = _figures(results)
    return Outcome({"split": options.split, "figures": figures}, (_table(results), _sentence(figures)))


def _meetings(options: argparse.Namespace) -> Iterator[Meeting]:
    from lab.bench.errors import BenchError
    from lab.bench.speakers.meetings import meetings, recorded

    if (options.rttm is None) != (options.recording is None):
        raise BenchError("--recording and --rttm belong together: a recording and its turns.")
    if options.recording is not None:
        return iter([recorded(options.recording, options.rttm)])
    return meetings(
        options.split, QUICK_MEETINGS if options.quick else options.meetings, options.minutes or USUAL_MINUTES
    )


def _measure_one_voice(options: argparse.Namespace) -> Outcome:
    from engine.audio import SAMPLE_RATE_HZ
    from engine.speakers.diarization import Diarizer
    from lab.bench.speakers.one_voice import labels_of, long_talk, voiceless

    talk, diarizer = long_talk(options.split, options.minutes or ONE_VOICE_MINUTES), Diarizer()
    with progress() as tell:
        tell("one voice")
        turns = diarizer([talk.samples]).turns
        tell("one voice live")
        labels = labels_of(talk)
        none = {name: len(diarizer([sound]).voices) for name, sound in voiceless(VOICELESS_SECONDS)}
    figures: dict[str, float | int | list[float] | None] = {
        "minutes": round(len(talk.samples) / SAMPLE_RATE_HZ / 60, 1),
        "speakers_found": len({turn.speaker for turn in turns}),
        "speakers_shown_live": len({label.speaker for label in labels if label.speaker}),
        "captions": len(talk.turns),
        "labelled": sum(bool(label.speaker) for label in labels),
        **{f"speakers_in_{name}": found for name, found in none.items()},
    }
    return Outcome({"split": options.split, "figures": figures}, (_sentence(figures),))


def _figures(results: list[MeetingResult]) -> dict[str, float | int | list[float] | None]:
    from lab.bench.speakers.errors import TurnErrors
    from lab.bench.speakers.measure import error_rate, interval

    words = sum(each.words for each in results)
    return {
        "der": round(error_rate(results), 4),
        "der_interval": [round(each, 4) for each in interval(results, error_rate)],
        "der_with_collar": round(sum((each.collared for each in results), TurnErrors()).rate, 4),
        "der_one_speaker": round(sum((each.alone for each in results), TurnErrors()).rate, 4),
        "wder": round(sum(each.wrong_words for each in results) / words, 4) if words else None,
        "words": words,
        **_live_figures(results),
        "speaker_count_right": round(sum(each.found == each.speakers for each in results) / len(results), 3),
        "real_time_factor": round(sum(r.compute_seconds for r in results) / sum(r.seconds for r in results), 3),
        "minutes": round(sum(each.seconds for each in results) / 60, 1),
    }


def _live_figures(results: list[MeetingResult]) -> dict[str, float | int | list[float] | None]:
    from lab.bench.speakers.errors import TurnErrors
    from lab.bench.speakers.measure import changed_share, interval

    lives = [each.live for each in results if each.live is not None]
    if not lives:
        return {}
    words, captions = max(1, sum(each.words for each in lives)), max(1, sum(each.captions for each in lives))
    delays = sorted(delay for each in lives for delay in each.delays)
    return {
        "der_live": round(sum((each.errors for each in lives), TurnErrors()).rate, 4),
        "wder_live": round(sum(each.wrong_words for each in lives) / words, 4),
        "wder_kept": round(sum(each.kept_wrong for each in lives) / words, 4),
        "label_erasure": round(changed_share(results), 4),
        "label_erasure_interval": [round(each, 4) for each in interval(results, changed_share)],
        "labelled_live": round(sum(each.labelled for each in lives) / captions, 3),
        "captions": captions,
        "label_delay_p50": round(delays[len(delays) // 2], 2) if delays else None,
        "label_delay_p95": round(delays[int(0.95 * len(delays))], 2) if delays else None,
        "share_of_a_core_live": round(
            sum(each.label_seconds for each in lives) / sum(each.seconds for each in results), 3
        ),
    }


def _table(results: list[MeetingResult]) -> str:
    from lab.bench.tables import percent

    rows = [
        (
            each.name, each.speakers, each.found, percent(each.errors.rate), percent(each.collared.rate),
            percent(each.alone.rate), percent(each.wrong_words / each.words) if each.words else None,
        )
        for each in results
    ]  # fmt: skip
    return table(("meeting", "speakers", "found", "DER", "with collar", "one speaker", "words wrong"), rows)


def _sentence(figures: dict[str, float | int | list[float] | None]) -> str:
    found = [f"{name.replace('_', ' ')} {value}" for name, value in figures.items() if value is not None]
    return "; ".join(found) + ".\n"


BENCH = Bench(
    "speakers",
    "who speaks when: turns, words, number of speakers",
    "Tell the speakers of put-together meetings apart, and compare with the truth.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
