"""The ways of decoding that are compared: one token a forward, as everybody does, and several (arXiv:2409.08148).

All ways of a model hear the same audio with the same encoder, so that only the decoding differs. Every way is held
against the first of its model: the next token's head alone, greedily.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.options import DecodeOptions

Model = Literal["speech-llama", "whisper"]
SPEECH_LLAMA: Model = "speech-llama"
WHISPER: Model = "whisper"

PUBLISHED_HEADS = 4
PUBLISHED_THRESHOLD = 0.8
PUBLISHED_BEAM = 4
EARSHOT_BEAM = 3
HEADS = (2, 3, 4, 5, 6)
TOP = (1, 2, 3, 5, 10)
THRESHOLDS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Figure 4 of the paper, from the strictest acceptance to the weakest."""

TABLE_I_TOP = (1, 5)
COMBINED_TOP = (1, 2)
"""How the rest is verified where a threshold is not met; the paper found M = 2 to have the fewest word errors."""
EVERY_KIND = dict.fromkeys(("projection", "latent", "residual"), PUBLISHED_HEADS)
"""What heads that were added to a Speech-LLaMA may be (engine.hear.whisper.heads), and how many are compared."""

OWN = "own"
PLAIN = DecodeOptions(draft=False)
DRAFTED, DRAFTED_AHEAD, WHISPER_DRAFTED = "draft", "draft-heads", "whisper-draft"
DRAFTS: Mapping[str, Model] = {DRAFTED: SPEECH_LLAMA, DRAFTED_AHEAD: SPEECH_LLAMA, WHISPER_DRAFTED: WHISPER}
DRAFT_TITLE = "Draft of the encoder"
SINGLE, SINGLE_BEAM = "single", f"single-beam-{PUBLISHED_BEAM}"
WHISPER_GREEDY, WHISPER_BEAM = "whisper-greedy", f"whisper-beam-{EARSHOT_BEAM}"
LIVE_GREEDY, LIVE_GREEDY_REUSE = "live-greedy", "live-greedy-reuse"
LIVE_BEAM_REUSE = f"live-beam-{EARSHOT_BEAM}-reuse"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of decoding.

    Attributes:
        name: what `--methods` knows it by.
        title: what a table says.
        table: where it is shown: "I", "4" (Figure 4), "whisper" or "live" (a live session with Whisper).
        heads: whose heads it decodes with: none, the model's own, or those of this kind that were added to it.
    """

    name: str
    title: str
    table: str
    model: Model
    heads: str | None
    decode: DecodeOptions


def top(heads: int, accepted: int) -> str:
    """The name of top-M verification with so many of the model's own heads, the next token's included."""
    return f"latent-{heads}-top-{accepted}"


def threshold(heads: int, least: float) -> str:
    """The name of threshold decoding with so many of the model's own heads."""
    return f"latent-{heads}-{least:g}"


def both(heads: int, least: float, accepted: int = 1) -> str:
    """The name of threshold decoding that verifies the rest by top-M, with so many of the model's own heads."""
    return f"latent-{heads}-both-{least:g}-top-{accepted}"


def whisper_top(accepted: int) -> str:
    """The name of top-M verification with the heads of Whisper."""
    return f"whisper-top-{accepted}"


VERIFIED = top(PUBLISHED_HEADS, 1)
PUBLISHED = threshold(PUBLISHED_HEADS, PUBLISHED_THRESHOLD)
PREFIX_BEAM = f"{PUBLISHED}-beam-{PUBLISHED_BEAM}"
WHISPER_VERIFIED = whisper_top(1)
WHISPER_SURE = f"whisper-{PUBLISHED_THRESHOLD:g}"
LIVE_VERIFIED, LIVE_VERIFIED_REUSE = "live-top-1", "live-top-1-reuse"
QUICK = (SINGLE, DRAFTED, DRAFTED_AHEAD, VERIFIED, PUBLISHED, WHISPER_GREEDY, WHISPER_DRAFTED)
"""The ways that `--quick` runs: those that the figures are of."""


def ways(
    own: int = max(HEADS),
    added: Mapping[str, int] = EVERY_KIND,
    whisper: int | None = PUBLISHED_HEADS,
    drafts: Collection[Model] = (SPEECH_LLAMA, WHISPER),
) -> tuple[Way, ...]:
    """All ways, in the order of the tables; by default all that there may be.

    Args:
        own: how many tokens Speech-LLaMA's own heads predict at once; 1 where it has none.
        added: the same of heads of a file, by their kind.
        whisper: the same of Whisper's heads; None where it has none.
        drafts: the models whose encoder has a draft network.
    """
    known = (
        Way(SINGLE, "Single head", "I", SPEECH_LLAMA, None, PLAIN),
        *_drafted(own),
        Way(
            SINGLE_BEAM, f"Single head, beam {PUBLISHED_BEAM}", "I", SPEECH_LLAMA, None,
            DecodeOptions(beam_size=PUBLISHED_BEAM),
        ),
        *(way for kind, ahead in added.items() for way in _added(kind, min(ahead, PUBLISHED_HEADS))),
        *_own(own),
        *_whisper(whisper),
        *_live(whisper),
    )  # fmt: skip
    without = {way for way, model in DRAFTS.items() if model not in drafts}
    return tuple(way for way in known if way.name not in without)


def accepting_top(heads: int, accepted: int) -> DecodeOptions:
    """Keep what the next token's head would write, or had among its likeliest."""
    return replace(PLAIN, decoder="multitoken", tokens_ahead=heads, acceptance="top-m", top_m=accepted)


def accepting_sure(heads: int, least: float) -> DecodeOptions:
    """Keep what heads are at least so sure of."""
    return replace(PLAIN, decoder="multitoken", tokens_ahead=heads, acceptance="threshold", threshold=least)


def accepting_both(heads: int, least: float, accepted: int) -> DecodeOptions:
    """Keep what heads are at least so sure of, and of the rest what the next token's head has among its likeliest."""
    return replace(accepting_sure(heads, least), acceptance="both", top_m=accepted)


def _added(kind: str, heads: int) -> list[Way]:
    """Table I with heads that were added to the model."""
    name, title = f"added-{kind}", f"{kind.capitalize()}, added ({heads}-head)"
    least = PUBLISHED_THRESHOLD
    return [
        *(
            Way(f"{name}-top-{m}", f"{title}, top-{m}", "I", SPEECH_LLAMA, kind, accepting_top(heads, m))
            for m in TABLE_I_TOP
        ),
        Way(
            f"{name}-{least:g}", f"{title}, threshold {least:g}", "I", SPEECH_LLAMA, kind, accepting_sure(heads, least)
        ),
    ]


def _drafted(heads: int) -> list[Way]:
    """Table I with the draft of the encoder, and with the model's own heads beside it."""
    alone = Way(DRAFTED, DRAFT_TITLE, "I", SPEECH_LLAMA, None, DecodeOptions())
    if heads < 2:
        return [alone]
    title, options = f"{DRAFT_TITLE}, and {heads} heads", replace(accepting_top(heads, 1), draft=True)
    return [alone, Way(DRAFTED_AHEAD, title, "I", SPEECH_LLAMA, OWN, options)]


def _own(ahead: int) -> list[Way]:
    """Table I and Figure 4 with the model's own heads: the first of them where it has more than are asked for."""
    found = []
    for heads in (count for count in HEADS if count <= ahead):
        title, published = f"Latent ({heads}-head)", heads == PUBLISHED_HEADS
        for m in TOP:
            table = "I" if published and m in TABLE_I_TOP else "4"
            options = accepting_top(heads, m)
            found.append(Way(top(heads, m), f"{title}, top-{m}", table, SPEECH_LLAMA, OWN, options))
        for least in THRESHOLDS:
            table = "I" if published and least == PUBLISHED_THRESHOLD else "4"
            options = accepting_sure(heads, least)
            found.append(
                Way(threshold(heads, least), f"{title}, threshold {least:g}", table, SPEECH_LLAMA, OWN, options)
            )
        table = "I" if published else "4"
        for m in COMBINED_TOP:
            name, options = both(heads, PUBLISHED_THRESHOLD, m), accepting_both(heads, PUBLISHED_THRESHOLD, m)
            rest = f"{title}, threshold {PUBLISHED_THRESHOLD:g}, rest top-{m}"
            found.append(Way(name, rest, table, SPEECH_LLAMA, OWN, options))
    if ahead >= PUBLISHED_HEADS:
        options = replace(accepting_sure(PUBLISHED_HEADS, PUBLISHED_THRESHOLD), beam_size=PUBLISHED_BEAM)
        title = f"Latent ({PUBLISHED_HEADS}-head), threshold {PUBLISHED_THRESHOLD:g}, beam {PUBLISHED_BEAM}"
        found.append(Way(PREFIX_BEAM, title, "I", SPEECH_LLAMA, OWN, options))
    return found


def _whisper(ahead: int | None) -> list[Way]:
    plain = [
        Way(WHISPER_GREEDY, "Greedy", "whisper", WHISPER, None, PLAIN),
        Way(WHISPER_DRAFTED, DRAFT_TITLE, "whisper", WHISPER, None, DecodeOptions()),
        Way(WHISPER_BEAM, f"Beam {EARSHOT_BEAM}", "whisper", WHISPER, None, DecodeOptions(beam_size=EARSHOT_BEAM)),
    ]
    if ahead is None:
        return plain
    heads = min(ahead, PUBLISHED_HEADS)
    sure = accepting_sure(heads, PUBLISHED_THRESHOLD)
    return [
        *plain,
        *(
            Way(whisper_top(m), f"{heads}-head, top-{m}", "whisper", WHISPER, OWN, accepting_top(heads, m))
            for m in TABLE_I_TOP
        ),
        Way(WHISPER_SURE, f"{heads}-head, threshold {PUBLISHED_THRESHOLD:g}", "whisper", WHISPER, OWN, sure),
    ]


def _live(ahead: int | None) -> list[Way]:
    """Rounds of a live session: each hears again what the one before it heard, and may use what that one wrote."""
    plain = [
        Way(LIVE_GREEDY, "Greedy", "live", WHISPER, None, PLAIN),
        Way(
            LIVE_GREEDY_REUSE, "Greedy, last round verified", "live", WHISPER, None, replace(PLAIN, reuse="verify")
        ),
        Way(
            LIVE_BEAM_REUSE, f"Beam {EARSHOT_BEAM}, last round verified", "live", WHISPER, None,
            DecodeOptions(beam_size=EARSHOT_BEAM, reuse="verify"),
        ),
    ]  # fmt: skip
    if ahead is None:
        return plain
    heads = min(ahead, PUBLISHED_HEADS)
    title = f"{heads}-head, top-1"
    return [
        *plain,
        Way(LIVE_VERIFIED, title, "live", WHISPER, OWN, accepting_top(heads, 1)),
        Way(
            LIVE_VERIFIED_REUSE, f"{title}, last round verified", "live", WHISPER, OWN,
            replace(accepting_top(heads, 1), reuse="verify"),
        ),
    ]  # fmt: skip
