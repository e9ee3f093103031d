"""The ways of answering that are compared: the plain cascade, PredGen as published, and Earshot's additions.

All of them use the same model, the same voice and the same questions, so that only the way differs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial

from engine.answer.predictor import Predictor, make_predictor
from engine.answer.verifiers import make_verifier
from engine.clock import Timer
from engine.language.token_model import AnsweringModel
from engine.options import AnswerOptions

BASELINE, GREEDY, TOP, REFLECTION, JACOBI = "baseline", "greedy", "top-3", "reflection", "jacobi"
BIASED, BRANCHES, LAST_WORD, TOP_LAST_WORD = "biased", "branches", "last-word", "top-3-last-word"
EARSHOT, EARSHOT_TOP = "earshot", "earshot-top"
PUBLISHED_TOP_K = 3
OTHER_TOP_K = (2, 5, 10)
"""Numbers of likely tokens that the paper's Figure 4 compares with that one, in kind."""

USUAL_BRANCHES = 8
"""Branches of the way that compares them."""


@dataclass(frozen=True, slots=True)
class AnswerMethod:
    """A way of answering.

    Attributes:
        name: its name for `--methods`.
        title: its name in a table.
        published: the paper has it; the others are Earshot's.
        as_published: a draft is lost after the first difference, and every token among the k likeliest is kept.
    """

    name: str
    title: str
    options: AnswerOptions
    published: bool = False
    as_published: bool = True

    def predictor(self, model: AnsweringModel, timer: Timer = time.perf_counter) -> Predictor:
        """Make a predictor, which times forwards by a stopwatch. ModelError if the model's context is too short."""
        if self.as_published:
            return Predictor(model, self.options, resync=False, verifier=partial(make_verifier, floor=0.0))
        return make_predictor(model, self.options, timer)


def ways(earshot: AnswerOptions) -> tuple[AnswerMethod, ...]:
    """Return all ways in the order of the tables; `earshot` is Earshot's default, whose bias and length all have.

    All ways keep the cache of a prompt's unchanged beginning, as the paper's code does; the plain cascade is faster
    with it, too.
    """
    plain = replace(
        earshot, speculate=False, verifier="greedy", generation="autoregressive", branches=0, last_word=False
    )
    greedy = replace(plain, speculate=True)
    top = replace(greedy, verifier="top-k", top_k=PUBLISHED_TOP_K)
    return (
        AnswerMethod(BASELINE, "Plain cascade", plain, True),
        AnswerMethod(GREEDY, "PredGen, greedy", greedy, True),
        AnswerMethod(TOP, f"PredGen, top-{PUBLISHED_TOP_K}", top, True),
        *(AnswerMethod(f"top-{k}", f"PredGen, top-{k}", replace(top, top_k=k), True) for k in OTHER_TOP_K),
        AnswerMethod(REFLECTION, "PredGen, reflection", replace(greedy, verifier="reflection"), True),
        AnswerMethod(JACOBI, "PredGen, Jacobi", replace(greedy, generation="jacobi"), True),
        AnswerMethod(BIASED, f"biased, {earshot.bias:g}", replace(greedy, verifier="biased")),
        AnswerMethod(BRANCHES, "greedy, branches", replace(greedy, branches=USUAL_BRANCHES)),
        AnswerMethod(LAST_WORD, "greedy, last word", replace(greedy, last_word=True)),
        AnswerMethod(TOP_LAST_WORD, f"top-{PUBLISHED_TOP_K}, last word", replace(top, last_word=True)),
        AnswerMethod(EARSHOT, "Earshot's default", earshot, as_published=False),
        AnswerMethod(
            EARSHOT_TOP, f"Earshot's, top-{earshot.top_k}", replace(earshot, verifier="top-k"), as_published=False
        ),
    )


QUICK = (BASELINE, GREEDY, TOP, REFLECTION, JACOBI, EARSHOT, EARSHOT_TOP)
"""The ways of `--quick`: those of the headline figures."""
