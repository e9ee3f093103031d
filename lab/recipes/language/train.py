"""Trains the starter language models, one on translated sentences, one on dialogues; resumable, on CPU or CUDA.

The assistant begins as the translator (`--lessons dialogues --start assets/starter/language`): it has English from it.
They are two models since each needs all of its few parameters; they are small enough to be loaded both.

Torch, not MLX, as for the starter hearing model: with bfloat16 products and compiled layers two CPU cores learn from
about 5,000 tokens a second, or from 1,500 in float32, where they have no instructions for bfloat16. MLX multiplies
bfloat16 on a CPU more slowly than float32, and computes elementwise functions there one number at a time. What is saved
is the published layout, which mlx-lm loads.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, Protocol

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from engine.errors import OptionError
from lab.recipes.assistant.conversations import DialogueLessons
from lab.recipes.language.rows import END, IGNORE, TEMPLATE, Rows, make_tokenizer
from lab.recipes.sentences.pairs import Conversation
from lab.recipes.sentences.translation_lessons import TranslationLessons
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.precision import make_optimisers
from lab.recipes.training.run import Run, RunOptions, add_run_arguments, rate_at

Kind = Literal["translation", "dialogues"]
HELD_OUT_ROWS = 32
_LAYER = re.compile(r"model\.layers\.(\d+)\.")
SAYS = {
    "data": "folder with text/parallel/ and text/dialogue/",
    "out": "checkpoint and log",
    "export": "where the model goes, e.g. assets/starter/language",
    "lessons": "what is to be learnt",
    "start": "begin with the model in this folder, e.g. assets/starter/language",
    "gathered": "folder of `train parallel-text`, translations to learn from beside those of --data",
    "layers": "of the model; more than those of --start begin as layers that change nothing",
    "peak_rate": "of learning",
    "warmup_steps": "in which the rate rises",
    "decay_share": "of the run, at its end, in which the rate falls",
    "seed": "another one meets other batches",
    "evaluate_minutes": "between two measurements",
    "rows": "rows of 192 tokens in a batch",
    "threads": "of a CPU",
}


class LanguageLessons(Protocol):
    """Texts and conversations to be learnt."""

    asked_as: ClassVar[dict[str, object]]
    """Description in the model's config of how it was taught to be asked."""

    def conversations(self, random: Random) -> Iterator[Conversation]:
        """Endless conversations."""

    def texts(self) -> Iterator[str]:
        """Yield what the tokenizer is made from."""

    def held_out(self) -> dict[str, Iterator[Conversation]]:
        """Endless conversations that are never learnt, by what they are about."""


def make_lessons(kind: Kind, data: Path, gathered: Path | None = None) -> LanguageLessons:
    """Raise EngineError if data is missing."""
    return DialogueLessons(data) if kind == "dialogues" else TranslationLessons(data, gathered)


@dataclass(frozen=True, slots=True)
class StarterLanguageOptions(RunOptions):
    """Options of a run: what to train from, for how long, and where it goes."""

    out: Path = Path("starter-language-run")
    lessons: Kind = "translation"
    start: Path | None = None
    gathered: Path | None = None
    minutes: float = 240.0
    threads: int = 2
    compiled: bool = True
    vocabulary: int = 8192
    states: int = 256
    layers: int = 10
    heads: int = 4
    key_heads: int = 2
    row_tokens: int = 192
    rows: int = 32
    peak_rate: float = 3e-3
    decay_share: float = 0.4
    checkpoint_minutes: float = 4.0


def make_model(options: StarterLanguageOptions, tokenizer: Tokenizer) -> Qwen3ForCausalLM:
    """Build a small Qwen3: the published architecture, so that any runtime that knows it runs this model."""
    end = tokenizer.token_to_id(END)
    config = Qwen3Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=options.states,
        intermediate_size=3 * options.states,
        num_hidden_layers=options.layers,
        num_attention_heads=options.heads,
        num_key_value_heads=options.key_heads,
        head_dim=options.states // options.heads,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        bos_token_id=None,
        eos_token_id=end,
        pad_token_id=end,
    )
    model = Qwen3ForCausalLM(config)
    model.set_attn_implementation("eager")  # rows are short: faster than the fused kernel on a CPU, once compiled
    return model


def grown(weights: Mapping[str, Tensor], layers: int) -> dict[str, Tensor]:
    """Spread the layers of a model evenly among this many. Each of the others copies the one before it, but for what it
    adds, which is nothing: the model says what it did. OptionError where there are fewer."""
    had = 1 + max(int(found[1]) for found in map(_LAYER.match, weights) if found)
    if layers < had:
        raise OptionError(f"layers must be at least {had}, as many as the model to begin with has, not {layers}.")
    made = {name: tensor for name, tensor in weights.items() if not _LAYER.match(name)}
    for layer in range(layers):
        copied = layer * had // layers
        is_new = layer and (layer - 1) * had // layers == copied
        for name, tensor in weights.items():
            if name.startswith(f"model.layers.{copied}."):
                adds = name.endswith(("o_proj.weight", "down_proj.weight"))
                made[_LAYER.sub(f"model.layers.{layer}.", name)] = tensor * 0 if is_new and adds else tensor.clone()
    return made


def answer_loss(head: nn.Module, states: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Return the weighted cross-entropy of tokens (m,) from the states (m, d) that predict them."""
    losses = F.cross_entropy(head(states).float(), targets, reduction="none")
    return (losses * weights).sum() / weights.sum()


def loss_of(
    trunk: nn.Module,
    head: nn.Module,
    tokens: Tensor,
    targets: Tensor,
    weights: Tensor,
    bfloat16: bool,
    answer_loss: Callable[..., Tensor] = answer_loss,
) -> Tensor:
    """Return the weighted cross-entropy of the answers in tokens (b, n); answer_loss can be compiled."""
    with torch.autocast(tokens.device.type, torch.bfloat16, enabled=bfloat16):
        states = trunk(input_ids=tokens, use_cache=False).last_hidden_state
        wanted = targets != IGNORE
        return answer_loss(head, states[wanted], targets[wanted], weights[wanted])


class LanguageTraining(Run):
    """A run: the lessons, the model, and what a checkpoint holds of it."""

    report_steps = 50
    slowest_average = 0.998

    def __init__(self, options: StarterLanguageOptions) -> None:
        super().__init__(options)
        self.options = options
        torch.set_num_threads(options.threads)
        self.lessons = make_lessons(options.lessons, options.data, options.gathered)
        self.tokenizer = self._tokenizer()
        self.rows = Rows(self.tokenizer, options.row_tokens)
        self.model = make_model(options, self.tokenizer)
        if options.start and not self.saved:
            self._start_from(options.start)
        self.model.to(options.device)  # type: ignore[arg-type]
        self.follow(
            dict(self.model.named_parameters()), *make_optimisers(self.model, options.peak_rate, options.in_bfloat16)
        )
        self._trained: Any = self.model.model
        self._answer_loss: Callable[..., Tensor] = answer_loss
        if options.compiled and (options.device != "cpu" or shutil.which("g++")):
            self._trained = torch.compile(self._trained, dynamic=False)
            self._answer_loss = torch.compile(answer_loss, dynamic=True)  # batches hold more and fewer answers
        self._worker = ThreadPoolExecutor(1)  # makes the next batch during a step
        self._next = self._prepare()

    def _prepare(self, after: int = 0) -> Future[tuple[Tensor, Tensor, Tensor]]:
        random = Random(f"{self.options.seed} {self.step + after}")  # the batch depends on the step's number alone
        return self._worker.submit(lambda: self.rows.batch(self.lessons.conversations(random), self.options.rows))

    def _tokenizer(self) -> Tokenizer:
        if self.saved:
            return Tokenizer.from_str(self.saved["tokenizer"])
        if self.options.start:
            return Tokenizer.from_file(str(self.options.start / "tokenizer.json"))
        return make_tokenizer(self.lessons.texts(), self.options.vocabulary)

    def _start_from(self, folder: Path) -> None:
        """Begin with the weights of a model that this recipe has exported."""
        loaded = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
        self.model.load_state_dict(grown(loaded, self.options.layers), strict=False)  # the output is the embedding

    def train_step(self) -> float:
        """Learn from one batch and return its loss."""
        options = self.options
        batch = self._next.result()
        self._next = self._prepare(after=1)
        tokens, targets, weights = (part.to(options.device) for part in batch)
        head = self.model.lm_head
        loss = loss_of(self._trained, head, tokens, targets, weights, options.in_bfloat16, self._answer_loss)
        self.model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        return float(loss.detach())

    def averaged_model(self) -> Any:
        """Return a copy of the model (Qwen3ForCausalLM), on the CPU, with averaged weights."""
        copy: Any = make_model(self.options, self.tokenizer)
        copy.load_state_dict(self.average, strict=False)  # the output layer is the embedding
        copy.tie_weights()
        copy.train(False)
        return copy

    def evaluate(self) -> None:
        """Measure the averaged model on what it never sees, and export it."""
        options, step = self.options, self.step
        loss = held_out_loss(self)
        self.curve.append({"step": step, "minutes": round(self.minutes, 1), "loss": round(loss, 4)})
        self.report(f"held-out {loss:.4f} at step {step}")
        if options.export:
            export(self, options.export)

    def kept(self) -> dict[str, Any]:
        """Return the tokenizer."""
        return {"tokenizer": self.tokenizer.to_str()}


@torch.no_grad()
def held_out_loss(training: LanguageTraining) -> float:
    """Return the cross-entropy of the averaged model on sentences that it never sees, whole and alone."""
    options, model = training.options, training.averaged_model()
    losses = []
    for name, held_out in training.lessons.held_out().items():
        batch = training.rows.batch(held_out, HELD_OUT_ROWS)
        losses.append(float(loss_of(model.model, model.lm_head, *batch, options.in_bfloat16)))
        training.report(f"held-out {name} {losses[-1]:.3f}")
    return sum(losses) / len(losses)


def train(options: StarterLanguageOptions) -> None:
    """Train until the time is up, evaluating, saving and exporting on the way. EngineError where data is missing."""
    training = LanguageTraining(options)
    training.report(f"parameters {sum(p.numel() for p in training.model.parameters()):,}")
    training.train()


def export(training: LanguageTraining, folder: Path) -> None:
    """Write the averaged model, and what was measured on the way."""
    write_model(training.averaged_model(), training.tokenizer, training.lessons.asked_as, folder)
    (folder / "curve.json").write_text(json.dumps(training.curve, indent=1) + "\n", encoding="utf-8")


def write_model(model: Any, tokenizer: Tokenizer, asked_as: Mapping[str, object], folder: Path) -> None:
    """Write a model (Qwen3ForCausalLM) in half precision as a folder that mlx-lm and transformers load."""
    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, eos_token=END, pad_token=END, chat_template=TEMPLATE
    ).save_pretrained(folder)
    config = folder / "config.json"
    described = json.loads(config.read_text(encoding="utf-8")) | {"earshot": dict(asked_as)}
    config.write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    (folder / "generation_config.json").unlink(missing_ok=True)  # says nothing that config.json does not


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, StarterLanguageOptions, SAYS, {"peak_rate": "rate"})
    parser.add_argument("--no-compile", dest="compiled", action="store_false", help="do without a C++ compiler")
    add_run_arguments(parser, StarterLanguageOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(StarterLanguageOptions, args))
