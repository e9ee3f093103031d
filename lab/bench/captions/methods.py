"""The methods that are compared: Whisper-Streaming's, improvements of it step by step, and Earshot's default.

All of them hear the same audio with the same weights and the same voice gate, and all but the peer use the same
kernels, so that only the method differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.captions.for_files import for_files
from engine.captions.published import PUBLISHED_STEP_SECONDS, WHISPER_STREAMING
from engine.hear.decode.pruning import IMPROVED, PUBLISHED, Pruning
from engine.options import MIN_STEP_SECONDS, CaptionOptions, DecodeOptions

LADDER_STEP_SECONDS = 0.3
"""Default step of all methods of the ladder, in seconds: the same, so that only their additions differ."""

CURVE_STEPS_SECONDS = (0.25, 0.5, 1.0, 1.5, 2.0)
"""Default steps of the curve, in seconds."""

BASELINE, HUSH, PRUNING, PIPELINE, VERIFY, ALIGNATT, EARSHOT = (
    "whisper-streaming",
    "hush",
    "pruning",
    "pipeline",
    "verify",
    "alignatt",
    "earshot",
)
LADDER = (BASELINE, HUSH, PRUNING, PIPELINE, VERIFY, ALIGNATT, EARSHOT)
PUBLISHED_BASELINE = "whisper-streaming-1s"
NATURAL_BASELINE = "whisper-streaming-natural-1s"
PUBLISHED_PRUNING = "pruning-as-published"
HUSH_ALONE = "hush-alone"
BEST_EFFORT_BASELINE = "whisper-streaming-best-effort"
BEST_EFFORT_NATURAL = "whisper-streaming-natural-best-effort"
BEST_EFFORT_EARSHOT = "earshot-best-effort"
FIXED_EARSHOT = "earshot-fixed-step"
NO_DRAFT = "earshot-no-draft"
RECORDING = "earshot-recording"
TWO_EARS = "earshot-two-ears"
PEER = "faster-whisper"
PEER_BEST_EFFORT = "faster-whisper-best-effort"
OFFLINE = "offline"
QUICK = (PUBLISHED_BASELINE, NATURAL_BASELINE, PEER, EARSHOT, RECORDING, OFFLINE)

WHOLE = CaptionOptions(padding="full", decode=DecodeOptions(beam_size=5))
"""Each utterance heard as a whole, after it has ended, with the full window and five candidates."""

Ear = Literal["live", "whole", "peer"]
"""The hearing program: the model live, the model after the end, or faster-whisper live."""


@dataclass(frozen=True, slots=True)
class CaptionSetup:
    """Everything that a result depends on.

    Attributes:
        pruning: how a pruned search follows the last hypothesis.
        kept: a hush word has the keys and values that were trained with it; as published there are none.
    """

    options: CaptionOptions
    ear: Ear = "live"
    pruning: Pruning = IMPROVED
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """A way of captioning, and its names.

    Attributes:
        name: its name for `--methods`.
        title: its name in a table.
        pruning, kept: as in CaptionSetup.
    """

    name: str
    title: str
    options: CaptionOptions
    ear: Ear = "live"
    pruning: Pruning = IMPROVED
    kept: bool = True

    @property
    def way(self) -> CaptionSetup:
        return CaptionSetup(self.options, self.ear, self.pruning, self.kept)

    @property
    def step_seconds(self) -> float | None:
        """Return the new audio between two rounds; None without rounds, or if it follows their cost."""
        return None if self.ear == "whole" or self.options.step_follows_cost else self.options.step_seconds


def ladder(
    step_seconds: float, *, hush_word: bool, earshot: CaptionOptions, overlap: bool = True
) -> tuple[Method, ...]:
    """Return the methods in order, at one step, each with all improvements of the one before; Earshot's own come last.

    `hush_word`: there is one for the model; without it the second method hears natural lengths as the model prefers,
    and its title says so. Unless rounds may `overlap`, the pipeline is left out.
    """
    plain = replace(WHISPER_STREAMING, step_seconds=step_seconds)
    short = replace(plain, padding="hush" if hush_word else None)
    pruned = _decoding(short, reuse="prune")
    piped = replace(pruned, pipeline=overlap)
    verified = _decoding(piped, reuse="verify")
    return (
        Method(BASELINE, "Whisper-Streaming's way", plain),
        Method(HUSH, "+ hush word" if hush_word else "+ model's own padding (no hush word)", short),
        Method(PRUNING, "+ beam pruning", pruned),
        *((Method(PIPELINE, "+ pipeline", piped),) if overlap else ()),
        Method(VERIFY, "+ block verification, not pruning", verified),
        Method(ALIGNATT, "+ AlignAtt", replace(verified, policy="alignatt")),
        Method(EARSHOT, _title_of(earshot), earshot),
    )


def two_ears(earshot: CaptionOptions, second_model: str) -> Method:
    """Return Earshot's way with another model for the second look."""
    return Method(TWO_EARS, f"Earshot's, then {second_model}", replace(earshot, second_model=second_model))


def _title_of(earshot: CaptionOptions) -> str:
    usual = CaptionOptions()
    return "Earshot's default" if earshot == usual else "Earshot's, as asked for"


def beside_the_ladder(steps: Sequence[Method], natural: str | None = None, *, peer: bool = False) -> tuple[Method, ...]:
    """List the methods that the ladder's are also compared with.

    These are other steps, with Earshot's at the ladder's; Whisper-Streaming's way with natural lengths, that is with
    the padding `natural` that Earshot gives the model (None leaves it to the model); the hush word, if there is one,
    without what was trained with it; pruning exactly as published; Earshot's way with a recording that nobody waits
    for; if `peer`, faster-whisper at both steps; and whole utterances.
    """
    by_name = {method.name: method for method in steps}
    hush, pruned = by_name[HUSH].options, by_name[PRUNING].options
    alone = Method(HUSH_ALONE, "+ hush word alone", hush, kept=False)
    floor = MIN_STEP_SECONDS
    step = f"{PUBLISHED_STEP_SECONDS:g} s step"
    short = Method(
        NATURAL_BASELINE,
        f"Whisper-Streaming's, natural, {step}",
        replace(WHISPER_STREAMING, padding=natural),
    )
    program = Method(PEER, "faster-whisper int8", WHISPER_STREAMING, "peer")
    fastest = _at_step(program, PEER_BEST_EFFORT, f"{program.title}, best effort", floor)
    return (
        Method(PUBLISHED_BASELINE, f"Whisper-Streaming's, {step}", WHISPER_STREAMING),
        short,
        *((alone,) if hush.padding == "hush" else ()),
        Method(PUBLISHED_PRUNING, "beam pruning as published", pruned, pruning=PUBLISHED),
        _at_step(by_name[BASELINE], BEST_EFFORT_BASELINE, "Whisper-Streaming's, best effort", floor),
        _at_step(short, BEST_EFFORT_NATURAL, "Whisper-Streaming's, natural, best effort", floor),
        _at_step(by_name[EARSHOT], BEST_EFFORT_EARSHOT, "Earshot's, best effort", floor),
        _at_step(by_name[EARSHOT], FIXED_EARSHOT, "Earshot's, fixed step", by_name[BASELINE].options.step_seconds),
        Method(NO_DRAFT, "Earshot's, no draft", _decoding(by_name[EARSHOT].options, draft=False)),
        Method(RECORDING, "Earshot's, of a recording", for_files(by_name[EARSHOT].options)),
        *((program, fastest) if peer else ()),
        Method(OFFLINE, "whole utterances, full window", WHOLE, "whole"),
    )


def quick(known: Sequence[Method]) -> tuple[Method, ...]:
    """Return the few methods that the headline figures need, the baseline first."""
    by_name = {method.name: method for method in known}
    return tuple(by_name[name] for name in QUICK if name in by_name)


def curve(known: Sequence[Method], steps: Sequence[float] = CURVE_STEPS_SECONDS) -> tuple[Method, ...]:
    """List Whisper-Streaming's way, Earshot's, and faster-whisper if it is known, at each of the steps."""
    ends = [method for method in known if method.name in (BASELINE, EARSHOT, PEER)]
    return tuple(
        _at_step(method, f"{method.name}@{seconds:g}", f"{method.title}, {seconds:g} s", seconds)
        for method in ends
        for seconds in steps
    )


def _at_step(method: Method, name: str, title: str, seconds: float) -> Method:
    options = replace(method.options, step_seconds=seconds, step_follows_cost=False)
    return replace(method, name=name, title=title, options=options)


def _decoding(options: CaptionOptions, **changes: object) -> CaptionOptions:
    return replace(options, decode=replace(options.decode, **changes))  # type: ignore[arg-type]
