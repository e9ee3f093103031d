"""The ways of translating that are compared: plain re-translation, SSBD as published, and what Earshot adds to it.

All of them run on the same model and the same growing texts, so that only the way differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.options import TranslationOptions

BIASES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Table 3 of the SSBD paper; from 0.5 on every drafted token is kept."""

PUBLISHED_BIAS = 0.2
MASKS = (3, 5)
"""Table 4 of the paper."""

USUAL_CONTEXT = 2

PLAIN, UNCACHED = "plain", "plain-uncached"
RESYNC, DECAY, UNCHECKED, ALL, FULL, STABLE = "resync", "decay", "unchecked", "all", "full", "stable"
PLAIN_CONTEXT, CONTEXT = "plain-context", "context"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of translating.

    Attributes:
        name: what `--methods` knows it by.
        title: what a table says.
        table: which of the paper's tables it belongs to; "ours" for what the paper does not have.
        baseline: the way that it is held against.
    """

    name: str
    title: str
    table: str
    options: TranslationOptions
    baseline: str = PLAIN


def biased(bias: float) -> str:
    """The name of SSBD as published with a bias."""
    return f"ssbd@{bias:g}"


def trimmed(words: int) -> str:
    """The name of SSBD whose draft loses its last words."""
    return f"mask-{words}"


def display_only(words: int) -> str:
    """The name of SSBD that shows all but the last words and drafts them still."""
    return f"display-{words}"


def ways(
    earshot: TranslationOptions, biases: Sequence[float] = BIASES, context_sentences: int = USUAL_CONTEXT
) -> tuple[Way, ...]:
    """All ways, in the order of the tables; `earshot` says the target and what Earshot's own ways do.

    As published: one bias for all updates, nothing drafted after the first difference, no bias that decays, and all of
    a translation shown at once. All ways but one keep what was computed of the prompt, plain re-translation too, which
    the others are held against. The rows of context see that many finished sentences before the present one.
    """
    plain = replace(
        earshot, bias=0.0, check_final=False, mask=0, skip_hidden=False, mask_draft=False, stable=False, decay=False,
        draft=False, reuse_cache=True, resync=False,
    )  # fmt: skip
    published = replace(plain, draft=True, bias=PUBLISHED_BIAS)
    resync = replace(published, resync=True)
    full = replace(earshot, stable=False)
    steps = sorted({*biases, PUBLISHED_BIAS})
    seen = f"{context_sentences} sentences of context"
    return (
        Way(PLAIN, "Plain re-translation", "bias", plain),
        Way(UNCACHED, "Plain, prompt computed anew", "ours", replace(plain, reuse_cache=False)),
        *(Way(biased(b), f"SSBD, bias {b:g}", "bias", replace(published, bias=b)) for b in steps),
        *(
            Way(trimmed(k), f"SSBD, mask-{k}, draft trimmed", "mask", replace(published, mask=k, mask_draft=True))
            for k in MASKS
        ),
        *(Way(display_only(k), f"SSBD, mask-{k}, display only", "mask", replace(published, mask=k)) for k in MASKS),
        Way(RESYNC, "SSBD, resync", "ours", resync),
        Way(DECAY, "the same, bias decays", "ours", replace(resync, decay=True)),
        Way(UNCHECKED, "Earshot's, end not checked", "ours", replace(full, check_final=False)),
        Way(ALL, "Earshot's, hidden ones too", "ours", replace(full, skip_hidden=False)),
        Way(FULL, "Earshot's default", "ours", full),
        Way(STABLE, "Earshot's, stable", "ours", replace(earshot, stable=True)),
        Way(
            PLAIN_CONTEXT, f"Plain, {seen}", "context", replace(plain, context_sentences=context_sentences),
            PLAIN_CONTEXT,
        ),
        Way(
            CONTEXT, f"Earshot's, {seen}", "context", replace(full, context_sentences=context_sentences),
            PLAIN_CONTEXT,
        ),
    )  # fmt: skip


QUICK = (PLAIN, UNCACHED, biased(0.0), biased(PUBLISHED_BIAS), FULL)
"""The ways that `--quick` runs: those that the figures are of."""

HEARD = (PLAIN, FULL)
"""The ways that translate what is heard in a quick run."""
