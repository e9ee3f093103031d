"""Trains the starter hearing model on synthetic speech; resumable, on CPU or CUDA."""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.errors import OptionError
from engine.recipes.starter_batches import Batch, Composer, Corpus, audio_mask
from engine.recipes.starter_corpus import start_making
from engine.recipes.starter_evaluation import HeldOutSpeech, error_rate
from engine.recipes.starter_examples import FRAME_SECONDS, IGNORE, PHONEMES, Targets
from engine.recipes.starter_export import export
from engine.recipes.starter_model import HearingModel, HearingShape
from engine.recipes.starter_speech import write_test_set
from engine.recipes.starter_text import check_texts, training_sentences
from engine.recipes.starter_tokens import Vocabulary, collect_vocabulary, load_encoding, published_vocabulary

LEAST_OCCURRENCES = 4  # tokens rarer than this in all sentences are left out


@dataclass(frozen=True, slots=True)
class StarterHearingOptions:
    """What to train from, for how long, and where it goes."""

    data: Path
    out: Path
    vocabulary_file: Path | None = None  # the mlx-whisper package's own if None
    export: Path | None = None
    resume: bool = False
    minutes: float = 110.0
    steps: int | None = None  # progress by steps instead of minutes: exactly repeatable
    device: str = "cpu"
    workers: int = 2  # threads that each take a part of a batch; 1 for a GPU
    states: int = 192
    heads: int = 3
    layers: int = 4
    batch_seconds: float = 90.0
    pool_examples: int = 384  # sorted by length together, so that batches need little padding
    peak_rate: float = 2e-3
    warmup_steps: int = 300
    decay_share: float = 0.5
    freeze_at: float = 0.65  # share of the run after which the lower layers of the ear stay
    seed: int = 1
    bfloat16: bool = True
    evaluate_minutes: float = 8.0
    checkpoint_minutes: float = 3.0

    def __post_init__(self) -> None:
        if self.minutes <= 0 or (self.steps is not None and self.steps < 1):
            raise OptionError("minutes and steps must be positive.")


@dataclass(slots=True)
class Losses:
    """The parts of the loss of one step."""

    text: Tensor
    phonemes: Tensor
    guide: Tensor

    def detach(self) -> Losses:
        """The same numbers without their history."""
        return Losses(self.text.detach(), self.phonemes.detach(), self.guide.detach())

    def total(self, progress: float) -> Tensor:
        """Weigh the parts: what taught it to listen fades as it learns to write."""
        fade = max(0.0, 1.0 - progress)
        return self.text + (0.1 + 0.5 * fade) * self.phonemes + (0.1 + 0.4 * fade) * self.guide


def losses(model: HearingModel, batch: Batch, bfloat16: bool) -> Losses:
    """Run the model over a batch and measure what it missed."""
    mask = audio_mask(batch.frames, batch.mel.shape[1])
    with torch.autocast(batch.mel.device.type, torch.bfloat16, enabled=bfloat16):
        audio = model.encoder(batch.mel, mask)
        states, attention = model.decoder(batch.tokens, audio, mask, guided=True)
        assert attention is not None
        wanted = batch.targets != IGNORE
        logits = model.logits(states[wanted])
        sounds = model.phoneme_head(audio[batch.phonemes != IGNORE])
    text = F.cross_entropy(logits.float(), batch.targets[wanted], label_smoothing=0.03)
    heard = batch.phonemes[batch.phonemes != IGNORE]
    phonemes = F.cross_entropy(sounds.float(), heard, reduction="sum") / max(len(heard), 1)
    return Losses(text, phonemes, guide_loss(attention, batch.windows))


def guide_loss(attention: Tensor, windows: Tensor) -> Tensor:
    """Ask the guided heads (b, h, t, s) to look where each token (b, t, 2) is said."""
    frames = torch.arange(attention.shape[-1], device=attention.device) * FRAME_SECONDS
    inside = (frames >= windows[..., :1] - 0.06) & (frames <= windows[..., 1:] + 0.06)
    known = ~windows[..., 0].isnan()
    mass = (attention * inside[:, None]).sum(-1).transpose(1, 2)[known]
    return -(mass + 1e-4).log().sum() / max(mass.numel(), 1)


def rate_at(options: StarterHearingOptions, step: int, progress: float) -> float:
    """Warm up by steps, stay, then fall in a line to the end of the run."""
    falling = min(1.0, max(0.0, 1.0 - progress) / options.decay_share)
    return options.peak_rate * min(1.0, (step + 1) / options.warmup_steps) * max(falling, 0.01)


class Training:
    """The state of a run: everything a checkpoint holds."""

    def __init__(self, options: StarterHearingOptions) -> None:
        self.options = options
        torch.manual_seed(options.seed)
        saved = self._load() if options.resume else None
        encoding = load_encoding(options.vocabulary_file or published_vocabulary())
        self.vocabulary = (
            Vocabulary(tuple(saved["kept"]))
            if saved
            else collect_vocabulary(encoding, training_sentences(options.data), LEAST_OCCURRENCES)
        )
        self.targets = Targets(encoding, self.vocabulary)
        self.corpus = Corpus(options.out / "corpus", self.targets)
        self.composer = Composer(self.corpus, self.targets, options.seed, options.batch_seconds)
        shape = HearingShape(len(self.vocabulary), len(PHONEMES), options.states, options.heads, options.layers)
        self.model = HearingModel(shape).to(options.device)
        self.optimisers = make_optimisers(self.model, options.peak_rate)
        self.average = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        self.step, self.seen, self.minutes = 0, 0, 0.0
        self.pool_number, self.pool_progress, self.next_batch = -1, 0.0, 0
        self.pool: list[list[int]] = []
        self.curve: list[dict[str, float]] = []
        # One core each: threads that wait for each other once a step, not at every
        # operation, lose little where other programs take a part of the processor.
        self._workers = ThreadPoolExecutor(options.workers, initializer=torch.set_num_threads, initargs=(1,))
        if saved:
            self._restore(saved)

    @property
    def progress(self) -> float:
        """The share of the run that is done."""
        if self.options.steps is not None:
            return self.step / self.options.steps
        return self.minutes / self.options.minutes

    def next(self) -> list[int]:
        """Give the seeds of the next batch, planning a new pool when the last one is used up."""
        if self.next_batch >= len(self.pool):
            self.corpus.refresh()
            self.pool_number += 1
            self.pool_progress, self.next_batch = self.progress, 0
            self.pool = self.composer.pool(self.pool_number, self.pool_progress, self.options.pool_examples)
        self.next_batch += 1
        return self.pool[self.next_batch - 1]

    def train_step(self, seeds: list[int]) -> Losses:
        """Learn from one batch: each worker measures a part of it."""
        rate = rate_at(self.options, self.step, self.progress)
        for group in (group for optimiser in self.optimisers for group in optimiser.param_groups):
            group["lr"] = rate
        if self.progress >= self.options.freeze_at:
            self._freeze_ear()
        learning = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        count = min(self.options.workers, len(seeds))
        parts = list(self._workers.map(self._measure, [seeds[start::count] for start in range(count)]))
        gradients = list(parts[0][1])
        for _, others in parts[1:]:
            torch._foreach_add_(gradients, others)
        torch._foreach_mul_(gradients, 1.0 / count)
        for parameter, gradient in zip(learning, gradients, strict=True):
            parameter.grad = gradient
        norm = torch.nn.utils.clip_grad_norm_(learning, 1.0)
        if norm.isfinite():  # one broken batch must not cost the run
            list(self._workers.map(lambda optimiser: optimiser.step(), self.optimisers))
        self.step += 1
        self.seen += len(seeds)
        self._update_average()
        return parts[0][0]

    def _measure(self, seeds: list[int]) -> tuple[Losses, tuple[Tensor, ...]]:
        """Make a part of a batch and give its losses and the gradient of each parameter."""
        batch = self.composer.batch(seeds, self.pool_progress).to(self.options.device)
        parts = losses(self.model, batch, self.options.bfloat16)
        gradients = torch.autograd.grad(
            parts.total(self.progress), [p for p in self.model.parameters() if p.requires_grad], materialize_grads=True
        )
        return parts.detach(), gradients

    def _freeze_ear(self) -> None:
        """Stop training the layers that turn sound into phonemes: they know it by now."""
        encoder = self.model.encoder
        for part in (encoder.conv1, encoder.conv2, *encoder.blocks[: len(encoder.blocks) // 2]):
            for parameter in part.parameters():
                parameter.requires_grad_(False)
                parameter.grad = None

    def _update_average(self) -> None:
        weight = 1.0 - min(0.995, (1 + self.step) / (10 + self.step))
        names = list(self.average)
        parameters = dict(self.model.named_parameters())
        torch._foreach_lerp_([self.average[n] for n in names], [parameters[n].detach() for n in names], weight)

    def averaged_model(self) -> HearingModel:
        """A copy of the model, on the CPU, with averaged weights."""
        copy = HearingModel(self.model.shape)
        copy.load_state_dict(self.average)
        return copy.eval()

    def save(self) -> None:
        """Write the checkpoint; the last one stays until the new one is whole."""
        self.options.out.mkdir(parents=True, exist_ok=True)
        partial = self.options.out / "checkpoint.partial"
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "kept": list(self.vocabulary.kept),
            "shape": self.model.shape.as_dict(),
            "shards": self.corpus.shards,
            "pool": (self.pool_number, self.pool_progress, self.next_batch),
            "counters": (self.step, self.seen, self.minutes),
            "curve": self.curve,
        }
        torch.save(state, partial)
        os.replace(partial, self.options.out / "checkpoint.pt")

    def _load(self) -> dict[str, Any] | None:
        path = self.options.out / "checkpoint.pt"
        return torch.load(path, weights_only=True) if path.exists() else None

    def _restore(self, saved: dict[str, Any]) -> None:
        self.model.load_state_dict(saved["model"])
        self.average = saved["average"]
        for optimiser, state in zip(self.optimisers, saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        self.step, self.seen, self.minutes = saved["counters"]
        self.curve = saved["curve"]
        self.pool_number, self.pool_progress, self.next_batch = saved["pool"]
        self.corpus.refresh(saved["shards"])
        if self.pool_number >= 0:
            self.pool = self.composer.pool(self.pool_number, self.pool_progress, self.options.pool_examples)


def make_optimisers(model: HearingModel, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for all else."""
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        (matrices if ".blocks." in name and parameter.ndim == 2 else rest).append(parameter)
    return [
        *(
            torch.optim.Muon(half, lr=rate, weight_decay=0.02, adjust_lr_fn="match_rms_adamw")
            for half in (matrices[0::2], matrices[1::2])  # two, so that two workers share it
        ),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]


def train(options: StarterHearingOptions) -> None:
    """Train until the time is up, evaluating, saving and exporting on the way. EngineError where data is missing."""
    check_texts(options.data)
    maker = start_making(options.data, options.out / "corpus")
    try:
        _train(Training(options))
    finally:
        maker.terminate()


def _train(training: Training) -> None:
    options = training.options
    held_out = HeldOutSpeech.make(options.data, training.targets)
    started, before = time.monotonic(), training.minutes
    saved = training.minutes
    evaluated = training.curve[-1]["minutes"] if training.curve else 0.0
    log(options, f"parameters {sum(p.numel() for p in training.model.parameters()):,}")
    while training.progress < 1.0:
        parts = training.train_step(training.next())
        training.minutes = before + (time.monotonic() - started) / 60
        if training.step % 50 == 0:
            log(options, describe(training, parts))
        if training.minutes - evaluated >= options.evaluate_minutes:
            evaluated = training.minutes
            evaluate(training, held_out)
        if training.minutes - saved >= options.checkpoint_minutes:
            saved = training.minutes
            training.save()
    evaluate(training, held_out)
    training.save()


def evaluate(training: Training, held_out: HeldOutSpeech) -> None:
    """Measure the averaged model on held-out speech; export it if it is the best yet."""
    started = time.monotonic()
    model = training.averaged_model()
    rate, examples = error_rate(model, held_out, training.targets)
    best = min((point["wer"] for point in training.curve), default=1.0)
    training.curve.append({"seen": training.seen, "minutes": round(training.minutes, 1), "wer": round(rate, 4)})
    took = time.monotonic() - started
    log(training.options, f"WER {rate:.2%} after {training.seen} seen ({took:.0f} s) {examples}")
    if training.options.export and rate < min(best, 0.4):
        export(model, held_out, training.targets, training.options.export)
        log(training.options, f"exported to {training.options.export}")


def describe(training: Training, parts: Losses) -> str:
    return (
        f"step {training.step} seen {training.seen} minutes {training.minutes:.1f} "
        f"text {parts.text:.3f} phonemes {parts.phonemes:.3f} guide {parts.guide:.3f} "
        f"utterances {len(training.corpus.utterances)}"
    )


def log(options: StarterHearingOptions, line: str) -> None:
    """Print a line and keep it beside the checkpoint."""
    print(line, flush=True)
    with (options.out / "log.txt").open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ and, for recordings, speech/")
    parser.add_argument("--out", type=Path, default=Path("starter-hearing-run"), help="corpus, checkpoint, log")
    parser.add_argument("--vocabulary-file", type=Path, help="multilingual.tiktoken, if mlx-whisper is not installed")
    parser.add_argument("--export", type=Path, help="where the best model goes, e.g. assets/starter/hearing")
    parser.add_argument("--make-eval", type=Path, metavar="OUT", help="write held-out speech there, do not train")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--minutes", type=float, default=110.0, help="length of the whole run (default: %(default)g)")
    parser.add_argument("--steps", type=int, help="length in steps instead: exactly repeatable")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--batch-seconds", type=float, default=90.0, help="audio in a batch (default: %(default)g)")
    parser.add_argument("--no-bfloat16", dest="bfloat16", action="store_false", help="compute in float32 throughout")


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    options = vars(args).copy()
    test_set = options.pop("make_eval")
    if test_set is not None:
        print(write_test_set(args.data, test_set))
        return
    names = {field.name for field in fields(StarterHearingOptions)}
    train(StarterHearingOptions(**{name: value for name, value in options.items() if name in names}))


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(_parser)
    run(_parser.parse_args())
