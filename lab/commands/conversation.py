"""`earshot bench conversation`: how long somebody waits who speaks to the assistant."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError
from engine.options import STARTER_VOICE, CaptionOptions, VoiceOptions
from lab.commands.builder import SIMULATED, Bench, Outcome, check_least, clock_of, side_by_side, timer_of

if TYPE_CHECKING:
    from lab.bench.assistant.conversation import ConversationRow, Spoken
    from lab.bench.assistant.heard_once import HeardOnce
    from lab.bench.captions.clips import Clip

USUAL_LIMIT, QUICK_LIMIT = 40, 6
SETS = ("people", "synthetic")

_EPILOG = """\
People ask questions that nobody taught the starter assistant: readers, volunteers and actors of a game, of the
data folder (EARSHOT_TEST_DATA), in two halves of speakers. With --set synthetic, voices say questions kept from its
training; with --manifest, people say those of a manifest. The last words of people are timed by the model that hears,
with its full window. The whole assistant hears, answers and speaks: in the plain way, which does nothing before half a
second of silence; plainly with less silence where the model takes the question for complete, more where it does not;
and ahead, with that end of turn. The clock is simulated: it goes on by the pace of speech, and by what is computed,
which is measured. What one way has heard the others hear in the same time.

Times count from the end of the last word. "after endpoint": from the end of the turn to the first sound. "understood":
questions that are answered otherwise than by an admission of doubt. "ready early": the first sound of that answer was
there before the last word had ended. "pre-made": it was there when the turn ended. "TTFS": until the text of the first
sentence was there. "gap": the longest time within an answer in which its sound had been played and no more was there;
the pause of 0.2 s between two sentences is sound. "processor": processor time of a question, mean. "speedup": how much
sooner the first sound comes than from the plain cascade with the same end of turn. "identical": replies that are that
one's; both of what was heard alike. "ahead": forwards before the question was known. "too early": questions
that were taken for finished before they were, and taken up again. "heard": word for word. "right": the answer begins
with the sentence it should begin with.

The second table, of synthetic voices, is of requests that change something, such as "Set a timer for ten minutes".
"act": from the end of the last word until it is done, of those that were. "done": what was asked for, and all of it.

examples:
  earshot bench conversation --quick
  earshot bench conversation --limit 100 --processor-time --json
  earshot bench conversation --assistant-model FOLDER --reply-tokens 40
  earshot bench conversation --set synthetic
  earshot bench conversation --manifest questions.jsonl --methods plain,earshot
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="what hears (default: %(default)s)")
    parser.add_argument(
        "--assistant-model",
        default="starter-assistant",
        metavar="NAME|FOLDER",
        help="what answers (default: %(default)s)",
    )
    parser.add_argument(
        "--voice", default=STARTER_VOICE, metavar="NAME|FOLDER", help="what speaks (default: %(default)s)"
    )
    parser.add_argument("--set", default=SETS[0], choices=SETS, help="who asks (default: %(default)s)")
    parser.add_argument("--split", default="judge", choices=("choose", "judge"), help="half of the people")
    parser.add_argument("--limit", type=int, metavar="N", help=f"how many of each (default: {USUAL_LIMIT})")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="pass over the first N questions of people")
    parser.add_argument("--reply-tokens", type=int, metavar="N", help="longest reply, for models that answer at length")
    parser.add_argument(
        "--manifest",
        type=Path,
        metavar="FILE",
        help="questions that people recorded: JSON lines with file, text and seconds",
    )
    parser.add_argument(
        "--heard", type=Path, metavar="FILE", help="keep what is heard, and how long that took, and hear it only once"
    )
    parser.add_argument("--quick", action="store_true", help="a few of them: two minutes on two cores")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.clock import SimulatedClock
    from engine.language.language_model import load_language_model
    from engine.loading.ready import make_ready
    from engine.speak.choice import make_voice
    from lab.bench.assistant import conversation
    from lab.bench.assistant.heard_once import HeardOnce
    from lab.bench.side_by_side import choose
    from lab.bench.tables import records_of, table_of

    check_least(options, "limit", "reply_tokens")
    ways = choose(conversation.ways(options.reply_tokens), options.methods)
    ready = make_ready(options.model)
    recognizer = HeardOnce(ready.recognizer(CaptionOptions(language="en")), timer_of(options), options.heard)
    synthetic = options.manifest is None and options.set == "synthetic"
    questions, requests = _spoken(options) if synthetic else (_recorded(options, ready.hearing, recognizer), [])
    model = load_language_model(options.assistant_model)
    voice = make_voice(VoiceOptions(options.voice))
    hold = conversation.holder(recognizer, model, voice, lambda: SimulatedClock(recognizer.timer))
    for way in ways:
        hold(way, conversation.speak(0, "What is this?", None))  # what is measured pays for nothing but itself

    def rows(noun: str, spoken: Sequence[Spoken]) -> list[ConversationRow]:
        results = side_by_side(options, noun, ways, spoken, hold)
        same = results.get(conversation.SAME)
        return [conversation.ConversationRow(way, results[way.name], same) for way in ways]

    answered, done = rows("question", questions), rows("request", requests)
    asked = "manifest" if options.manifest else options.set
    record = {"model": options.model, "assistant_model": model.name, "voice": voice.name, "set": asked}
    record |= {"reply_tokens": options.reply_tokens}
    record |= {"processor_time": options.processor_time, "rows": records_of(conversation.COLUMNS, answered)}
    record |= {"requests": records_of(conversation.REQUEST_COLUMNS, done)}
    record["figures"] = conversation.figures(answered, done)
    parts = ((conversation.COLUMNS, answered), (conversation.REQUEST_COLUMNS, done))[: 2 if requests else 1]
    last = f"{len(questions)} questions, {len(requests)} requests; computation in {clock_of(options)}.\n"
    return Outcome(record, (*(table_of(*part, decimals=3) for part in parts), last))


def _recorded(options: argparse.Namespace, hearing: object, heard: HeardOnce) -> list[Spoken]:
    """Read questions of people, and find out where their last words end."""
    from engine.hear.whisper.load import HearingModel
    from lab.bench.assistant import people_questions
    from lab.bench.assistant.conversation import recorded
    from lab.bench.captions.clips import read_manifest
    from lab.bench.captions.word_times import with_word_times

    if not isinstance(hearing, HearingModel):
        raise OptionError(f"Questions of people need a Whisper model, which times words; {options.model} is none.")
    if options.manifest is None:
        asked = people_questions.questions(options.split)[options.skip :][: _limit(options)]
    else:
        asked = read_manifest(options.manifest, ["en"], _limit(options))

    def last_end(clip: Clip) -> float | None:
        words = with_word_times(clip, hearing).words
        return words[-1].end if words else None

    ends = [heard.end_of(clip.listen(), partial(last_end, clip)) for clip in asked]
    both = zip(asked, ends, strict=True)
    return [recorded(number, clip, end) for number, (clip, end) in enumerate(both, options.skip) if end is not None]


def _limit(options: argparse.Namespace) -> int:
    return options.limit or (QUICK_LIMIT if options.quick else USUAL_LIMIT)


def _spoken(options: argparse.Namespace) -> tuple[list[Spoken], list[Spoken]]:
    """Return questions and requests as synthetic voices say them."""
    from lab.bench.assistant.conversation import requests, speak
    from lab.bench.assistant.texts import read_set

    limit = _limit(options)
    questions = [(each.turns[-1], each.reply) for each in read_set("own", None)]
    asked_for = [(each.text, None) for each in requests()]
    heard, wanted = (
        [speak(number, *each) for number, each in enumerate(part[:limit])] for part in (questions, asked_for)
    )
    return heard, wanted


BENCH = Bench(
    "conversation",
    "from the end of a spoken question to the first sound of its answer",
    "Speak questions to the whole assistant, and measure what somebody waits for.",
    _add_options,
    _measure,
    epilog=_EPILOG,
    add_methods=lambda methods: None,
    processor_time=SIMULATED,
)
