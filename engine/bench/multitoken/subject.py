"""The models that the multi-token benchmark is about: loaded once, decoded with in every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import cast

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from engine.bench.captions.subject import warm_up
from engine.bench.multitoken.methods import OWN, SPEECH_LLAMA, WHISPER, Model, Way, ways
from engine.errors import ModelError
from engine.hear.recognizer import WhisperRecognizer
from engine.hear.speech_llama.load import SpeechLlamaModel
from engine.hear.whisper.encoder_draft import find_draft
from engine.hear.whisper.heads import Heads, find_heads, load_heads, train_command
from engine.loading.ready import AnyRecognizer, ReadyModel, make_ready
from engine.options import CaptionOptions


@dataclass(frozen=True, slots=True)
class Subject:
    """A model under test.

    Attributes:
        identity: which weights and heads they are; measurements of others are not comparable.
        heads: how many tokens its heads predict at once, by whose they are (see Way.heads).
        drafts: whether its encoder has a draft network.
        make: a recognizer for a way of decoding, which has heard something before.
    """

    model: Model
    name: str
    identity: str
    languages: tuple[str, ...]
    heads: Mapping[str, int]
    drafts: bool
    make: Callable[[Way], AnyRecognizer]


@dataclass(frozen=True, slots=True)
class Subjects:
    """The models that were asked for.

    Attributes:
        warnings: what is missing, or slower on this machine than it could be.
    """

    speech_llama: Subject | None
    whisper: Subject | None
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Subject]:
        return (subject for subject in (self.speech_llama, self.whisper) if subject)

    @property
    def languages(self) -> tuple[str, ...]:
        """List the languages that any of them knows."""
        return tuple(dict.fromkeys(code for subject in self for code in subject.languages))

    def ways(self) -> tuple[Way, ...]:
        """List what can be measured of them."""
        speech = self.speech_llama.heads if self.speech_llama else {}
        added = {kind: ahead for kind, ahead in speech.items() if kind != OWN}
        there = [subject.model for subject in self]
        known = ways(
            speech.get(OWN, 1),
            added,
            self.whisper.heads.get(OWN) if self.whisper else None,
            [subject.model for subject in self if subject.drafts],
        )
        return tuple(way for way in known if way.model in there)


def load_subjects(speech_llama: str | None, whisper: str | None, files: Sequence[Path] = ()) -> Subjects:
    """Load models by name or folder, with the heads that they have and those of the files.

    Raises:
        ModelError: a model is no good, or not of the kind that is asked for, or a file of heads is not for any of them.
    """
    models = {model: _loaded(model, name) for model, name in ((SPEECH_LLAMA, speech_llama), (WHISPER, whisper)) if name}
    heads = {model: _own_heads(ready) for model, ready in models.items()}
    for file in files:
        model, found = _whose(file, models)
        heads[model][OWN if model == WHISPER else found.kind] = found
    made = {model: _subject(model, ready, heads[model]) for model, ready in models.items()}
    warnings = dict.fromkeys(warning for ready in models.values() for warning in ready.warnings)
    for model, ready in models.items():
        if OWN not in heads[model]:
            warnings[f"{ready.hearing.name} has no heads: it is measured without. {train_command(ready.hearing)}"] = (
                None
            )
    return Subjects(made.get(SPEECH_LLAMA), made.get(WHISPER), tuple(warnings))


def _loaded(model: Model, name: str) -> ReadyModel:
    ready = make_ready(name)
    if isinstance(ready.hearing, SpeechLlamaModel) != (model == SPEECH_LLAMA):
        flag = "--model is for a Speech-LLaMA" if model == SPEECH_LLAMA else "--whisper is for a Whisper model"
        raise ModelError(f"{flag}, and {name} is none.")
    return ready


def _own_heads(ready: ReadyModel) -> dict[str, Heads]:
    hearing = ready.hearing
    heads = hearing.heads if isinstance(hearing, SpeechLlamaModel) else find_heads(hearing)
    return {OWN: heads} if heads else {}


def _whose(file: Path, models: Mapping[Model, ReadyModel]) -> tuple[Model, Heads]:
    """Whose heads a file holds. ModelError where it is for none of the models."""
    problem = ModelError(f"There is no model for the heads in {file}.")
    for model, ready in models.items():
        try:
            return model, load_heads(file, ready.hearing)
        except ModelError as error:
            problem = error
    raise problem


def _subject(model: Model, ready: ReadyModel, heads: Mapping[str, Heads]) -> Subject:
    made: dict[Way, AnyRecognizer] = {}

    def make(way: Way) -> AnyRecognizer:
        if way not in made:
            recognizer = _with_heads(ready, heads[way.heads] if way.heads else None, CaptionOptions(decode=way.decode))
            warm_up(recognizer)
            made[way] = recognizer
        return made[way]

    hearing = ready.hearing
    digests = ", ".join(f"{kind} {_digest(found)}" for kind, found in heads.items())
    draft = find_draft(hearing.ear if isinstance(hearing, SpeechLlamaModel) else hearing.fingerprint)
    if draft:
        digests += f", draft {draft.digest}"
    return Subject(
        model,
        hearing.name,
        f"{hearing.name} {hearing.fingerprint}, heads {digests}",
        tuple(hearing.languages),
        {kind: found.ahead for kind, found in heads.items()},
        draft is not None,
        make,
    )


def _with_heads(ready: ReadyModel, heads: Heads | None, options: CaptionOptions) -> AnyRecognizer:
    hearing = ready.hearing
    if isinstance(hearing, SpeechLlamaModel):
        return replace(ready, hearing=replace(hearing, heads=heads)).recognizer(options)
    made = WhisperRecognizer(hearing, options.decode, padding=options.padding, heads=heads)
    made.prefers_pipeline = ready.prefers_pipeline
    return made


def _digest(heads: Heads) -> str:
    """Return what tells heads from others."""
    digest = sha256(heads.kind.encode())
    weights = cast(list[tuple[str, mx.array]], tree_flatten(heads.parameters()))  # type: ignore[no-untyped-call]
    for _, array in weights:
        digest.update(np.array(array).tobytes())
    return digest.hexdigest()[:16]
