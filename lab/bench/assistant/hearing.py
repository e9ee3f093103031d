"""Questions as they are heard: said by a synthetic voice, captioned live, with every change of what was heard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Caption, text_of
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions
from lab.bench.assistant.texts import BenchQuestion, Prompts, Talk, question_of, without_repetitions
from lab.bench.translation.hearing import VOICE, captions
from lab.recipes.speech.espeak import espeak


def heard(prompts: Iterable[Prompts], recognizer: Recognizer, options: CaptionOptions) -> Iterator[Talk]:
    """Speak the questions of each conversation and caption them live; those of which nothing was heard are left out.

    Hearing takes no time on the session's clock, so that the same question comes in alike on every machine.
    """
    for each in prompts:
        questions = [hear(recognizer, espeak().speak(text, VOICE).samples, options) for text in each.turns]
        if all(question.text for question in questions):
            yield Talk(each.name, tuple(questions), each.reply)


def hear(recognizer: Recognizer, samples: Samples, options: CaptionOptions) -> BenchQuestion:
    """Return what was heard of a recording (n,) at 16 kHz from moment to moment, words that were pending and all."""
    said: dict[int, str] = {}
    moments: list[tuple[float, str]] = []
    for caption in captions(recognizer, samples, options):
        said[caption.id] = _text(caption)
        moments.append((caption.emitted_seconds, " ".join(filter(None, said.values()))))
    return as_heard(moments, len(samples) / SAMPLE_RATE_HZ)


def as_heard(moments: Sequence[tuple[float, str]], spoken_seconds: float) -> BenchQuestion:
    """Return a question with what was known of it at each moment; all of it is there when its sound has ended."""
    known = without_repetitions(moments)
    if not known:
        return BenchQuestion("", spoken_seconds)
    return question_of(known[-1][1], max(known[-1][0], spoken_seconds), known)


def _text(caption: Caption) -> str:
    return text_of(caption.committed if caption.final else (*caption.committed, *caption.pending))
