"""Advice on which model to use on this machine, by purpose and language: the best first, and why."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from engine.loading.library import Fit, LibraryModel, fit
from engine.machine.pace import MachinePace, Verdict, verdict_of
from engine.machine.thread_profile import load_profile
from engine.models.catalogue import CatalogueEntry

Goal = Literal["captions", "translation", "answers", "voice"]
Why = Literal["", "fewest mistakes", "quickest", "best that fits", "no graphics processor"]

_ONLY: dict[str, tuple[Goal, ...]] = {"starter-language": ("translation",), "starter-assistant": ("answers",)}
"""Small models that were trained for one purpose only."""
_OF_KIND: dict[str, tuple[Goal, ...]] = {
    "hearing": ("captions",),
    "language": ("translation", "answers"),
    "voice": ("voice",),
}
_KNOWN = {"English": ("en",), "mostly English": ("en",), "English to German, French, Spanish": ("de", "fr", "es")}
_SHAPES = {"starter": "tiny.en"}
"""Models that are as fast as another one that was estimated."""
_TIERS: tuple[Verdict | Literal[""], ...] = ("keeps up", "late", "", "too slow", "too large")
_NO_FIGURE = 100.0


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on one model for one goal.

    Attributes:
        verdict: whether captions keep up with speech; empty if unknown.
        round_seconds: estimated time of one recognition round; None if it was not estimated.
        delay_seconds: delay of a word, as `earshot profile` measured it here; None if it was not measured.
        is_best: whether it is the recommended one.
        why: the reason for the recommendation.
    """

    model: LibraryModel
    fit: Fit
    verdict: Verdict | Literal[""] = ""
    round_seconds: float | None = None
    delay_seconds: float | None = None
    is_best: bool = False
    why: Why = ""


def goals_of(model: LibraryModel) -> tuple[Goal, ...]:
    """Return the goals that a model serves."""
    if model.pair is not None:
        return ("translation",)
    return _ONLY.get(model.name, _OF_KIND.get(model.kind, ()))


def knows(model: LibraryModel | CatalogueEntry, language: str) -> bool:
    """Return whether a model knows a language, as far as the catalogue says; "" stands for any language."""
    if model.pair is not None:
        return not language or language == model.pair[1]
    if not language or not model.languages:
        return True
    if model.codes:
        return language in model.codes
    if model.kind == "hearing" and language == "yue":
        return model.languages == "100 languages"
    return language in _KNOWN.get(model.languages, (language,))


def advise(
    models: Iterable[LibraryModel], goal: Goal, language: str, pace: MachinePace | None, machine_megabytes: int
) -> tuple[Advice, ...]:
    """Order the models that serve a goal in a language, the best first.

    For captions, the best has the fewest errors of those that keep up with speech; if none does, it is the fastest.
    Without an estimate there is no best. Of voices, those that come along lead. For language models, it is the
    largest that fits well in memory on a graphics processor, and the smallest elsewhere; one that translates a
    single pair only if a language is asked for.
    """
    found = [
        _advice(model, pace, machine_megabytes)
        for model in models
        if goal in goals_of(model) and knows(model, language)
    ]
    on_gpu = pace.is_gpu if pace is not None else sys.platform == "darwin"
    ways: dict[Goal, Callable[[Advice], tuple[float, ...]]] = {"captions": _of_captions, "voice": _of_voices}
    ordered = sorted(found, key=ways.get(goal, lambda each: _of_size(each, on_gpu)))
    candidates = [each for each in ordered if _may_be_best(each, goal) and (language or each.model.pair is None)]
    if candidates:
        best = candidates[0]
        ordered[ordered.index(best)] = replace(best, is_best=True, why=_why(best, goal, on_gpu))
        ordered.sort(key=lambda each: not each.is_best)
    return tuple(ordered)


def _advice(model: LibraryModel, pace: MachinePace | None, machine_megabytes: int) -> Advice:
    fits = fit(model, machine_megabytes)
    if model.kind != "hearing":
        return Advice(model, fits, "too large" if fits == "not" else "")
    seconds = pace.rounds.get(_SHAPES.get(model.name, model.name)) if pace is not None else None
    profile, _ = load_profile(model=model.name) if model.installed else (None, "")
    verdict: Verdict | Literal[""] = verdict_of(seconds) if seconds is not None else ""
    if fits == "not":
        verdict = "too large"
    return Advice(model, fits, verdict, seconds, profile.word_latency_seconds if profile is not None else None)


def _of_captions(advice: Advice) -> tuple[float, ...]:
    """Return a sort key: models that keep up by errors, the others by speed."""
    model = advice.model
    seconds = advice.round_seconds if advice.round_seconds is not None else _NO_FIGURE
    errors = model.errors_percent if model.errors_percent is not None else _NO_FIGURE
    first = errors if advice.verdict == "keeps up" else seconds
    return (model.research, _TIERS.index(advice.verdict), first, seconds, not model.installed)


def _of_voices(advice: Advice) -> tuple[float, ...]:
    """Return a sort key: voices that come along in the catalogue's order, the others by size."""
    comes_along = advice.model.source == "ships"
    return (not comes_along, 0 if comes_along else advice.model.memory_megabytes)


def _of_size(advice: Advice, on_gpu: bool) -> tuple[float, ...]:
    size = advice.model.memory_megabytes
    return (("well", "barely", "not").index(advice.fit), -size if on_gpu else size)


def _may_be_best(advice: Advice, goal: Goal) -> bool:
    model = advice.model
    rated = bool(advice.verdict) if goal == "captions" else goal != "translation" or not model.is_gguf
    return rated and advice.fit != "not" and not model.research and not model.problem and bool(model.languages)


def _why(advice: Advice, goal: Goal, on_gpu: bool) -> Why:
    if goal == "captions":
        return "fewest mistakes" if advice.verdict == "keeps up" else "quickest"
    if goal == "voice":
        return ""
    return "best that fits" if on_gpu else "no graphics processor"
