"""The ways of translating that are compared: plain re-translation, SSBD as published, and what Earshot adds to it.

All of them run on the same model and the same growing texts, so that only the way differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.options import TranslationOptions
from engine.translate.careful import careful

BIASES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Table 3 of the SSBD paper; from 0.5 on every drafted token is kept."""

PUBLISHED_BIAS = 0.2
MASKS = (3, 5)
"""Table 4 of the paper."""

PLAIN, UNCACHED = "plain", "plain-uncached"
UNCHECKED, UNAHEAD, FULL, STABLE, CAREFUL = "unchecked", "no-look-ahead", "full", "stable", "careful"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of translating.

    Attributes:
        name: what `--methods` knows it by.
        title: what a table says.
        table: which of the paper's tables it belongs to; "ours" for what the paper does not have.
    """

    name: str
    title: str
    table: str
    options: TranslationOptions


def biased(bias: float) -> str:
    """The name of SSBD as published with a bias."""
    return f"ssbd@{bias:g}"


def trimmed(words: int) -> str:
    """The name of SSBD whose draft loses its last words."""
    return f"mask-{words}"


def display_only(words: int) -> str:
    """The name of SSBD that shows all but the last words and drafts them still."""
    return f"display-{words}"


def ways(earshot: TranslationOptions) -> tuple[Way, ...]:
    """All ways, in the order of the tables; `earshot` says the target and what Earshot's own ways do.

    As published: one bias for all updates, nothing drafted after the first difference, no bias that decays, and all of
    a translation shown at once. All ways but one keep what was computed of the prompt, plain re-translation too, which
    the others are held against.
    """
    plain = replace(
        earshot, bias=0.0, check_final=False, mask=0, skip_hidden=False, mask_draft=False, stable=False, decay=False,
        draft=False, reuse_cache=True, resync=False, look_ahead=False,
    )  # fmt: skip
    published = replace(plain, draft=True, bias=PUBLISHED_BIAS)
    full = replace(earshot, stable=False)
    return (
        Way(PLAIN, "Plain re-translation", "bias", plain),
        Way(UNCACHED, "Plain, prompt computed anew", "ours", replace(plain, reuse_cache=False)),
        *(Way(biased(b), f"SSBD, bias {b:g}", "bias", replace(published, bias=b)) for b in BIASES),
        *(
            Way(trimmed(k), f"SSBD, mask-{k}, draft trimmed", "mask", replace(published, mask=k, mask_draft=True))
            for k in MASKS
        ),
        *(Way(display_only(k), f"SSBD, mask-{k}, display only", "mask", replace(published, mask=k)) for k in MASKS),
        Way(UNCHECKED, "Earshot's, end not checked", "ours", replace(full, check_final=False)),
        Way(UNAHEAD, "Earshot's, no look-ahead", "ours", replace(full, look_ahead=False)),
        Way(FULL, "Earshot's default", "ours", full),
        Way(STABLE, "Earshot's, stable", "ours", replace(earshot, stable=True)),
        Way(CAREFUL, "Plain, five candidates at the end", "ours", careful(plain)),
    )  # fmt: skip


QUICK = (PLAIN, UNCACHED, biased(0.0), biased(PUBLISHED_BIAS), FULL)
"""The ways that `--quick` runs: those that the figures are of."""

HEARD = (PLAIN, FULL)
"""The ways that translate what is heard in a quick run."""
