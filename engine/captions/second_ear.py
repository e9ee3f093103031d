"""The second ear: it hears finished captions again (engine.captions.second_look), with a model of its own if asked."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.audio import Samples
from engine.captions.for_files import for_second_look
from engine.errors import EngineError
from engine.events import Hypothesis, Reference
from engine.hear.recognizer import NO_REFERENCE, WINDOW_SECONDS, Recognizer, Stage
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.decode.tokenizer import TextTokens
    from engine.loading.ready import ReadyModel


def make_second_ear(
    make_recognizer: Callable[[CaptionOptions], Recognizer], options: CaptionOptions
) -> tuple[Recognizer | None, str]:
    """Return what hears finished captions again, None if nothing shall; and what is wrong with the model that was
    asked for, if anything.

    The live model takes its place then.

    Raises:
        OptionError: the live model cannot hear in this way.
    """
    if not (options.second_look and options.second_model):
        _loaded.cache_clear()
    if not options.second_look:
        return None, ""
    choice, problem = for_second_look(options), ""
    if options.second_model:
        own_way = replace(choice, padding=None, decode=replace(choice.decode, decoder="beam"))
        try:
            ready = _loaded(options.second_model)
            return AnotherModel(ready.recognizer(own_way), ready.hearing.tokenizer), ""
        except EngineError as error:
            problem = str(error)
    return make_recognizer(choice), problem


@lru_cache(maxsize=1)
def _loaded(model: str) -> ReadyModel:
    """Load a model, which stays until a session does without one. The threads remain those of the live one."""
    from engine.loading.ready import ReadyModel, load_any_hearing
    from engine.machine import backend

    ready = ReadyModel(load_any_hearing(model), backend.prepare().device, (), prefers_pipeline=False)
    ready.warm_up()
    backend.wire_models()
    return ready


class AnotherModel(Recognizer):
    """A recognizer whose draft are the words of another model: it has tokens of its own for their text."""

    def __init__(self, inner: Recognizer, tokenizer: TextTokens) -> None:
        self.languages, self.buffer_seconds = inner.languages, inner.buffer_seconds
        self.window_seconds = getattr(inner, "window_seconds", WINDOW_SECONDS)
        self.longest_seconds = getattr(inner, "longest_seconds", WINDOW_SECONDS)
        self._inner, self._tokenizer = inner, tokenizer

    def hear(self, samples: Samples, *, reference: Reference = NO_REFERENCE, **asked: Any) -> Hypothesis:
        return self._inner.hear(samples, reference=self._in_own_tokens(reference), **asked)

    def stages(self, samples: Samples, *, reference: Reference, **asked: Any) -> Generator[Stage, None, Hypothesis]:
        return self._inner.stages(samples, reference=self._in_own_tokens(reference), **asked)

    def _in_own_tokens(self, reference: Reference) -> Reference:
        encode = self._tokenizer.encode
        words = tuple(replace(word, tokens=tuple(encode(word.text))) for word in reference.expected)
        return replace(reference, expected=words)
