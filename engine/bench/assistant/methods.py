"""The ways of answering that are compared: the plain cascade, PredGen as published, and what Earshot adds to it.

All of them run on the same model, the same voice and the same questions, so that only the way differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.options import AnswerOptions

TOP_KS = (1, 2, 3, 5, 10)
PUBLISHED_TOP_K = 3

BASELINE, GREEDY, BIASED, REFLECTION, JACOBI = "baseline", "greedy", "biased", "reflection", "jacobi"
EARSHOT, EARSHOT_TOP = "earshot", "earshot-top"
BRANCHES, LAST_WORD, SPARE_TIME = "branches", "last-word", "spare-time"
_ANEW = "-anew"

USUAL_BRANCHES = 8
"""How many a way has that is about them."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of answering.

    Attributes:
        name: what `--methods` knows it by.
        title: what a table says.
        published: whether the paper has it; the others are Earshot's.
    """

    name: str
    title: str
    options: AnswerOptions
    published: bool = True


def top(k: int) -> str:
    """The name of the top-k verifier as published: whatever is among the k likeliest is kept."""
    return f"top-{k}"


def floored(k: int) -> str:
    """The name of the top-k verifier that keeps no token that is much less likely than the best."""
    return f"top-{k}-floor"


def anew(name: str) -> str:
    """The name of a way that keeps nothing of what was computed for an earlier prompt."""
    return f"{name}{_ANEW}"


def also(k: int, name: str) -> str:
    """The name of the top-k verifier as published, with what a way of this name adds to greedy."""
    return f"{top(k)}-{name}"


def ways(earshot: AnswerOptions, top_ks: Sequence[int] = TOP_KS, branches: int = USUAL_BRANCHES) -> tuple[Way, ...]:
    """All ways, in the order of the tables; `earshot` says what Earshot's default is, and bias, floor and lengths.

    branches: of the ways that are about them.

    As published: what a draft holds after the first difference is lost, and keys and values of what comes again at the
    beginning of a prompt are kept, as in the paper's code. They are kept in the plain cascade too, which is faster by
    that; the rows without show what it is worth.
    """
    plain = replace(
        earshot,
        speculate=False,
        verifier="greedy",
        generation="autoregressive",
        branches=0,
        last_word=False,
        reuse_cache=True,
        resync=False,
    )
    greedy = replace(plain, speculate=True)
    sweep = {k: replace(greedy, verifier="top-k", top_k=k, top_k_floor=0.0) for k in sorted({*top_ks, PUBLISHED_TOP_K})}
    published_top = sweep[PUBLISHED_TOP_K]
    added: dict[str, tuple[str, dict[str, Any]]] = {
        BRANCHES: ("branches", {"branches": branches}),
        LAST_WORD: ("last word", {"last_word": True}),
        SPARE_TIME: ("branches and last word", {"branches": branches, "last_word": True}),
    }
    return (
        Way(BASELINE, "Plain cascade", plain),
        Way(GREEDY, "PredGen, greedy", greedy),
        *(Way(top(k), f"PredGen, top-{k}", options) for k, options in sweep.items()),
        Way(REFLECTION, "PredGen, reflection", replace(greedy, verifier="reflection")),
        Way(JACOBI, "PredGen, Jacobi", replace(greedy, generation="jacobi")),
        *(
            _ours(floored(k), f"top-{k}, floor", replace(sweep[k], top_k_floor=earshot.top_k_floor))
            for k in sweep
            if k > 1
        ),
        *(_ours(name, f"greedy, {title}", replace(greedy, **more)) for name, (title, more) in added.items()),
        *(
            _ours(also(PUBLISHED_TOP_K, name), f"{top(PUBLISHED_TOP_K)}, {title}", replace(published_top, **more))
            for name, (title, more) in added.items()
        ),
        _ours(BIASED, f"biased, {earshot.bias:g}", replace(greedy, verifier="biased")),
        _ours(anew(BASELINE), "Plain cascade, no cache", replace(plain, reuse_cache=False)),
        _ours(anew(GREEDY), "greedy, no cache", replace(greedy, reuse_cache=False)),
        _ours(EARSHOT, "Earshot's default", earshot),
        _ours(EARSHOT_TOP, f"Earshot's, top-{earshot.top_k}", replace(earshot, verifier="top-k")),
    )


def _ours(name: str, title: str, options: AnswerOptions) -> Way:
    return Way(name, title, options, published=False)


QUICK = (BASELINE, GREEDY, top(PUBLISHED_TOP_K), REFLECTION, JACOBI, EARSHOT, EARSHOT_TOP)
"""The ways that `--quick` runs: those that the figures are of."""
