"""The methods that are compared: Whisper-Streaming's way, what is added to it step by step, and Earshot's default.

All of them run on the same kernels, model and audio, with the same voice gate, so that only the method differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from engine.bench.side_by_side import HasName
from engine.errors import OptionError
from engine.options import MIN_STEP_SECONDS, CaptionOptions, DecodeOptions

PUBLISHED_STEP_SECONDS = 1.0
"""Whisper-Streaming's default (arXiv:2307.14743, --min-chunk-size)."""

CURVE_STEPS_SECONDS = (0.25, 0.5, 1.0, 1.5, 2.0)

WHISPER_STREAMING = CaptionOptions(
    step_seconds=PUBLISHED_STEP_SECONDS,
    policy="local-agreement",
    agreement=2,
    padding="full",
    pipeline=False,
    buffer_seconds=15.0,
    trimming="segment",
    prompt_characters=200,
    decode=DecodeOptions(beam_size=5, reuse="none"),
)
"""As its authors publish it: 30 s of padding, five candidates, nothing reused, one stage after the other.

The voice gate is on, as in every method: what is pending is committed when somebody pauses (their --vac), which can
only make this one faster.
"""

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
PUBLISHED_PRUNING = "pruning-as-published"
BEST_EFFORT_BASELINE = "whisper-streaming-best-effort"
BEST_EFFORT_EARSHOT = "earshot-best-effort"


@dataclass(frozen=True, slots=True)
class Method:
    """A way of captioning.

    Attributes:
        name: what `--methods` knows it by.
        title: what a table says.
    """

    name: str
    title: str
    options: CaptionOptions


def ladder(step_seconds: float, *, hush_word: bool, earshot: CaptionOptions) -> tuple[Method, ...]:
    """The methods in order, each with what the one before it has, all at one step; Earshot's own options last.

    `hush_word` says whether there is one for the model; without, the second method hears natural lengths as the model
    itself asks for, and its title says so.
    """
    plain = replace(WHISPER_STREAMING, step_seconds=step_seconds)
    short = replace(plain, padding="hush" if hush_word else None)
    pruned = _decoding(short, reuse="prune")
    piped = replace(pruned, pipeline=True)
    verified = _decoding(piped, reuse="verify")
    return (
        Method(BASELINE, "Whisper-Streaming's way", plain),
        Method(HUSH, "+ hush word" if hush_word else "+ model's own padding (no hush word)", short),
        Method(PRUNING, "+ beam pruning", pruned),
        Method(PIPELINE, "+ pipeline", piped),
        Method(VERIFY, "+ block verification, not pruning", verified),
        Method(ALIGNATT, "+ AlignAtt", replace(verified, policy="alignatt")),
        Method(EARSHOT, _title_of(earshot), replace(earshot, step_seconds=step_seconds)),
    )


def _title_of(earshot: CaptionOptions) -> str:
    return "Earshot's default" if earshot.decode == CaptionOptions().decode else "Earshot's, as asked for"


def beside_the_ladder(steps: Sequence[Method]) -> tuple[Method, ...]:
    """What the ladder's methods are also compared with: other steps, and the pruning exactly as it was published."""
    by_name = {method.name: method for method in steps}
    pruned = by_name[PRUNING].options
    floor = MIN_STEP_SECONDS
    return (
        Method(PUBLISHED_BASELINE, f"Whisper-Streaming's, {PUBLISHED_STEP_SECONDS:g} s step", WHISPER_STREAMING),
        Method(
            PUBLISHED_PRUNING,
            "beam pruning as published",
            _decoding(pruned, align_by_time=False, prune_again=False),
        ),
        _at_step(by_name[BASELINE], BEST_EFFORT_BASELINE, "Whisper-Streaming's, best effort", floor),
        _at_step(by_name[EARSHOT], BEST_EFFORT_EARSHOT, "Earshot's, best effort", floor),
    )


def curve(steps: Sequence[Method]) -> tuple[Method, ...]:
    """Whisper-Streaming's way and Earshot's over the lengths of a step."""
    ends = [method for method in steps if method.name in (BASELINE, EARSHOT)]
    return tuple(
        _at_step(method, f"{method.name}@{seconds:g}", f"{method.title}, {seconds:g} s", seconds)
        for method in ends
        for seconds in CURVE_STEPS_SECONDS
    )


Named = TypeVar("Named", bound=HasName)


def choose(methods: Iterable[Named], names: Sequence[str]) -> tuple[Named, ...]:
    """The methods of these names, in their own order; all of them without names.

    Raises:
        OptionError: a name that no method has.
    """
    known = tuple(methods)
    for name in names:
        if name not in [method.name for method in known]:
            raise OptionError(f"--methods must be of {', '.join(method.name for method in known)}, not {name!r}.")
    return tuple(method for method in known if not names or method.name in names)


def _at_step(method: Method, name: str, title: str, seconds: float) -> Method:
    return Method(name, title, replace(method.options, step_seconds=seconds))


def _decoding(options: CaptionOptions, **changes: object) -> CaptionOptions:
    return replace(options, decode=replace(options.decode, **changes))  # type: ignore[arg-type]
