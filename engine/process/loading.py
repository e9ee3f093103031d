"""Load the models of an engine process, and run each once, so that its first use takes no longer than the next."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from engine.machine import backend
from engine.machine.thread_profile import load_profile
from engine.options import CaptionOptions, TranslationOptions
from engine.process.messages import Ready

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer
    from engine.language.answering import AnyAnsweringModel
    from engine.translate.live import LiveTranslation

T = TypeVar("T")
SERVER = "server"
"""Device of a model that a server runs."""

RecognizerMaker = Callable[[CaptionOptions], "Recognizer"]
ModelLoader = Callable[[str], tuple[Ready, RecognizerMaker]]
TranslationMaker = Callable[[TranslationOptions], "LiveTranslation"]
LanguageLoader = Callable[[str], tuple[Ready, TranslationMaker]]
AssistantLoader = Callable[[str], "tuple[Ready, AnyAnsweringModel]"]


def load_recognizer(model: str) -> tuple[Ready, RecognizerMaker]:
    """Load a hearing model and run it once.

    Threads and pipeline are those that `earshot profile` has stored for it, if any. ModelError says what is wrong.
    """
    if sys.platform == "darwin":  # before numpy loads Accelerate, which reads its number of threads once
        known, _ = load_profile(model=model)
        backend.prepare(known.cpu_threads if known else None)
    from engine.loading.ready import make_ready

    started = time.perf_counter()
    ready = make_ready(model)
    ready.warm_up()
    backend.wire_models()
    seconds = time.perf_counter() - started
    return Ready(ready.hearing.name, ready.device, seconds, ready.warnings), ready.recognizer


def load_translation(model: str, *, hides_unsure: bool = False) -> tuple[Ready, TranslationMaker]:
    """Load a model that translates and run it once, or ask a server for its. ModelError says what is wrong with it.

    `hides_unsure` leaves out finished translations of which a model of ours is unsure itself.
    """
    started = time.perf_counter()
    prepared = backend.prepare()
    from engine.language.language_model import LanguageModel, Message
    from engine.language.servers.address import is_address
    from engine.language.servers.model import load_served_model
    from engine.translate.live import LiveTranslation
    from engine.translate.loading import load_translation_model
    from engine.translate.own_score import OwnScore
    from engine.translate.served import OFF, ServedTranslator
    from engine.translate.translator import Translator

    if is_address(model):
        served = load_served_model(model)
        warnings = tuple(filter(None, (served.address.warning, OFF)))
        ready = Ready(served.name, SERVER, time.perf_counter() - started, warnings, "language")
        return ready, lambda options: LiveTranslation(ServedTranslator(served, options))
    loaded = load_translation_model(model)
    loaded.logits(loaded.chat([Message("user", "Good morning.")]), loaded.new_cache(), 1)
    backend.wire_models()
    ours = loaded if isinstance(loaded, LanguageModel) and not loaded.takes_instructions else None

    def make(options: TranslationOptions) -> LiveTranslation:
        judge = OwnScore(ours, options).is_sure if hides_unsure and ours is not None else None
        return LiveTranslation(Translator(loaded, options), judge)

    return _ready(loaded.name, started, prepared), make


def load_assistant(model: str) -> tuple[Ready, AnyAnsweringModel]:
    """Load a language model that answers and run it once. ModelError says what is wrong with it."""
    started = time.perf_counter()
    prepared = backend.prepare()
    from engine.language.answering import load_answering_model
    from engine.language.servers.model import OFF, ServedModel

    loaded = load_answering_model(model)
    if isinstance(loaded, ServedModel):
        warnings = tuple(filter(None, (loaded.address.warning, OFF)))
        return Ready(loaded.name, SERVER, time.perf_counter() - started, warnings, "language"), loaded
    loaded.logits(loaded.encode("Good morning."), loaded.new_cache(), 1)
    backend.wire_models()
    return _ready(loaded.name, started, prepared), loaded


def beside(load: Callable[[], T], wake: Callable[[], None]) -> Future[T]:
    """Load something on a thread of its own, so that hearing goes on; call `wake` there at the end."""
    loaded = Future[T]()

    def run() -> None:
        try:
            loaded.set_result(load())
        except BaseException as error:  # whoever asks for the result has it raised
            loaded.set_exception(error)
        wake()

    threading.Thread(target=run, name="loading", daemon=True).start()
    return loaded


def _ready(name: str, started: float, prepared: backend.Backend) -> Ready:
    return Ready(name, prepared.device, time.perf_counter() - started, prepared.warnings, "language")
