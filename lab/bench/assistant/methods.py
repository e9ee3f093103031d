"""The ways of answering that are compared: the plain cascade, PredGen as published, and what Earshot adds to it.

All of them run on the same model, the same voice and the same questions, so that only the way differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.options import AnswerOptions

BASELINE, GREEDY, TOP, REFLECTION, JACOBI = "baseline", "greedy", "top-3", "reflection", "jacobi"
BIASED, BRANCHES, LAST_WORD, TOP_LAST_WORD = "biased", "branches", "last-word", "top-3-last-word"
EARSHOT, EARSHOT_TOP = "earshot", "earshot-top"
PUBLISHED_TOP_K = 3
USUAL_BRANCHES = 8
"""How many the way has that is about them."""


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
    published: bool = False


def ways(earshot: AnswerOptions) -> tuple[Way, ...]:
    """All ways, in the order of the tables; `earshot` says what Earshot's default is, and bias and lengths.

    As published: what a draft holds after the first difference is lost, whatever is among the k likeliest is kept, and
    keys and values of what comes again at the beginning of a prompt are kept, as in the paper's code. They are kept in
    the plain cascade too, which is faster by that.
    """
    plain = replace(
        earshot, speculate=False, verifier="greedy", generation="autoregressive", branches=0, last_word=False,
        reuse_cache=True, resync=False,
    )  # fmt: skip
    greedy = replace(plain, speculate=True)
    top = replace(greedy, verifier="top-k", top_k=PUBLISHED_TOP_K, top_k_floor=0.0)
    return (
        Way(BASELINE, "Plain cascade", plain, True),
        Way(GREEDY, "PredGen, greedy", greedy, True),
        Way(TOP, f"PredGen, top-{PUBLISHED_TOP_K}", top, True),
        Way(REFLECTION, "PredGen, reflection", replace(greedy, verifier="reflection"), True),
        Way(JACOBI, "PredGen, Jacobi", replace(greedy, generation="jacobi"), True),
        Way(BIASED, f"biased, {earshot.bias:g}", replace(greedy, verifier="biased")),
        Way(BRANCHES, "greedy, branches", replace(greedy, branches=USUAL_BRANCHES)),
        Way(LAST_WORD, "greedy, last word", replace(greedy, last_word=True)),
        Way(TOP_LAST_WORD, f"top-{PUBLISHED_TOP_K}, last word", replace(top, last_word=True)),
        Way(EARSHOT, "Earshot's default", earshot),
        Way(EARSHOT_TOP, f"Earshot's, top-{earshot.top_k}", replace(earshot, verifier="top-k")),
    )


QUICK = (BASELINE, GREEDY, TOP, REFLECTION, JACOBI, EARSHOT, EARSHOT_TOP)
"""The ways that `--quick` runs: those that the figures are of."""
