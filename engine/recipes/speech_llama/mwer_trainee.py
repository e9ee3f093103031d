"""A Speech-LLaMA that is being trained: what it hears, what its search finds, and the folder that it becomes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Protocol

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map

from engine.audio import SAMPLE_RATE_HZ
from engine.errors import ModelError
from engine.hear.decode.attempts import token_limit
from engine.hear.decode.beam import Beam, Candidate
from engine.hear.decode.byte_pairs import text_rules
from engine.hear.decode.decoder import Reader
from engine.hear.decode.multitoken import Acceptance
from engine.hear.decode.prefix_beam import nbest
from engine.hear.decode.search import Terms, run_search
from engine.hear.decode.steps import finish
from engine.hear.speech_llama.load import SpeechLlamaModel, find_ear
from engine.hear.speech_llama.model import SpeechLlamaDecoder
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.padding import SAMPLES_PER_FRAME
from engine.metrics import word_errors
from engine.models.catalogue import catalogue
from engine.options import DecodeOptions
from engine.recipes.speech.speech_source import Heard
from engine.recipes.speech_llama.mwer_loss import Hypothesis, Writer
from engine.weights.model_folder import read_json, weight_files
from engine.weights.weights import read_weights


class NBestOptions(Protocol):
    """How many hypotheses there are to be, and how they are searched for; see DecodeOptions."""

    @property
    def beam(self) -> int: ...
    @property
    def tokens_ahead(self) -> int: ...
    @property
    def threshold(self) -> float: ...


class Trainee:
    """The model in training: everything but its ear learns, in float32."""

    def __init__(self, loaded: SpeechLlamaModel) -> None:
        """Take a model over. ModelError for quantised weights, which cannot learn."""
        if "quantization" in read_json(loaded.folder / "config.json"):
            raise ModelError(
                f"{loaded.folder} holds quantised weights, which cannot be trained. Train the plain model."
            )
        self.loaded = loaded
        self.tokenizer = loaded.tokenizer
        self.writer = Writer(loaded.model, loaded.heads, loaded.tokenizer.sot_sequence(), loaded.tokenizer.eot)
        self.writer.unfreeze()
        loaded.model.encoder.freeze()
        plain: Any = tree_map(lambda array: array.astype(mx.float32), self.writer.parameters())
        self.writer.update(plain)
        mx.eval(self.writer.parameters())
        self._rules = text_rules(self.tokenizer)

    def fits(self, spoken: Heard) -> bool:
        """Whether the ear takes it, and its words can be counted."""
        window = self.loaded.model.dims.n_audio_ctx * SAMPLES_PER_FRAME
        return 0 < len(spoken.samples) <= window and bool(spoken.text.strip())

    def frames(self, spoken: Heard) -> mx.array:
        """What the ear makes of samples: (1, s, d)."""
        model = self.loaded.model
        mel = log_mel(spoken.samples, model.dims.n_mels)
        frames: mx.array = model.encoder(mel[None].astype(mx.float32))
        return mx.stop_gradient(frames)

    def reference(self, spoken: Heard) -> tuple[int, ...]:
        """The tokens of what was said, and their end."""
        return (*self.tokenizer.encode(" " + spoken.text.strip()), self.tokenizer.eot)

    def hypotheses(self, spoken: Heard, frames: mx.array, search: NBestOptions) -> list[tuple[Hypothesis, float]]:
        """The best hypotheses of encoder frames (1, s, d), best first, and the log-probability that each had."""
        model = self.loaded.model
        seconds = len(spoken.samples) / SAMPLE_RATE_HZ
        limit = token_limit(DecodeOptions(), seconds, model.dims.n_text_ctx, 1)
        terms = Terms(self.tokenizer.eot, self._rules, limit)
        found = self._found(SpeechLlamaDecoder(model, model.embed(frames), self.writer.heads), terms, search)
        return [
            (
                Hypothesis.of(one, self.tokenizer.eot, errors_in(spoken, self.tokenizer.decode(one.tokens))),
                one.sum_logprob,
            )
            for one in found
        ]

    def _found(self, decoder: SpeechLlamaDecoder, terms: Terms, search: NBestOptions) -> list[Candidate]:
        start = self.tokenizer.sot_sequence()
        if decoder.ahead > 1:
            ahead = min(search.tokens_ahead, decoder.ahead)
            acceptance = Acceptance("threshold", ahead, threshold=search.threshold)
            return nbest(decoder, search.beam, acceptance, start, terms)
        reader, beam = Reader(decoder), Beam(terms.eot, search.beam)
        finish(run_search(reader, beam, reader.read(start, [-1]), terms))
        return beam.ranked()

    def export(self, folder: Path) -> None:
        """Write the model as it is now, in the types of the folder that it came from."""
        made: dict[str, mx.array] = dict(tree_flatten(self.writer.speech.trainable_parameters()))
        if self.writer.heads is not None:
            kind = self.writer.heads.kind
            made |= {f"heads.{kind}.{n}.weight": one for n, one in enumerate(getattr(self.writer.heads, kind), start=2)}
        stored = read_weights(weight_files(self.loaded.folder))
        weights = {name: made[name].astype(array.dtype) if name in made else array for name, array in stored.items()}
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("config.json", "tokenizer.json"):
            shutil.copyfile(self.loaded.folder / name, folder / name)
        config = read_json(folder / "config.json")
        ear = find_ear(config, self.loaded.folder / "config.json")
        if ear is not None and config["ear"]["model"] not in catalogue():  # a folder, as seen from there
            config["ear"]["model"] = os.path.relpath(ear, folder)
            (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        partial = folder / "model.partial.safetensors"
        mx.save_safetensors(str(partial), weights, {"format": "mlx"})
        partial.replace(folder / "model.safetensors")


def errors_in(spoken: Heard, heard: str) -> int:
    """Words of what was said that would have to be changed, dropped or added."""
    errors = word_errors(spoken.text, heard, spoken.language)
    return errors.substitutions + errors.deletions + errors.insertions
