"""Trains the Speech-LLaMA and its heads further from a packed folder, in bfloat16.

It begins with the starter of the clone. Clips are cut between words, made faster or slower and noisy, and the frozen
encoder hears them again each time. It needs torch and numpy, nothing else: `python -m lab.recipes.packed.speech_llama
--data PACK --out RUN --minutes 12 --resume --device cuda`. `earshot train pack-hearing` makes the folder.
"""

from __future__ import annotations

import argparse
import copy
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.models.catalogue import ASSETS
from lab.recipes.packed.folder import WEIGHTS, read_safetensors, save_safetensors
from lab.recipes.packed.people import People
from lab.recipes.packed.run import PackedRun
from lab.recipes.packed.sounds import FRAMES_PER_SECOND, changed
from lab.recipes.speech_llama.loss import Batch, HeadOptions, batch_of, loss_of, make_optimiser
from lab.recipes.speech_llama.model import SpeechLlama, SpeechLlamaShape
from lab.recipes.speech_llama.special import IGNORE
from lab.recipes.speech_llama.weights import export_weights
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import add_run_arguments, rate_at

CUT_SHARE = 0.3
BESIDE_A_CUT = 0.12  # seconds of audio kept behind the last word, at most
EMBEDDING = "decoder.token_embedding.weight"
SAYS = {
    "data": "folder of `train pack-hearing`",
    "out": "checkpoint and log",
    "export": "where the model goes (default: in --out)",
    "start": "the model to begin with",
    "ear": "the Whisper whose encoder and tokens it has",
    "batch": "examples of a step",
    "peak_rate": "of learning",
    "checkpoint_minutes": "between two checkpoints",
    "seed": "of all that is drawn",
}


@dataclass(frozen=True, slots=True)
class PackedSpeechLlamaOptions(HeadOptions):
    """Options of a run; how many tokens are predicted at once is the beginning's."""

    out: Path = Path("packed-speech-llama-run")
    start: Path = ASSETS / "starter" / "speech-llama"
    ear: Path = ASSETS / "starter" / "hearing"
    minutes: float = 12.0
    dropout: float = 0.1
    batch: int = 64
    peak_rate: float = 1e-4
    warmup_steps: int = 30
    decay_share: float = 0.85
    evaluate_minutes: float = 3.0
    checkpoint_minutes: float = 2.0


class PackedSpeechLlama(PackedRun):
    """A run: people on the device, the model, and how well it tells the next tokens of held-out speakers."""

    report_steps = 25
    slowest_average = 0.99

    def __init__(self, options: PackedSpeechLlamaOptions) -> None:
        super().__init__(options)
        self.options = options
        self.people = People(options.data, options.device, options.in_bfloat16)
        self.config = json.loads((options.start / "config.json").read_text(encoding="utf-8"))
        self.model = self._begun().to(options.device).train()
        learning = {name: each for name, each in self.model.named_parameters() if each.requires_grad}
        self.follow(learning, make_optimiser(self.model, options.peak_rate))
        self._pool: list[list[int]] = []
        self._wrote = 0

    def _begun(self) -> SpeechLlama:
        """Build the model, with the weights that it begins with and the embedding of its ear."""
        stored, text = read_safetensors(self.options.start / WEIGHTS), self.config["text_config"]
        embedding = self._embedding()
        latent = sorted(name for name in stored if name.startswith("heads.latent."))
        drafted = stored.pop("heads.draft_tokens").astype(np.int64)
        heads = [stored.pop(name) for name in latent]
        shape = SpeechLlamaShape(
            len(embedding), len(drafted), text["hidden_size"], text["num_hidden_layers"], text["num_attention_heads"],
            text["head_dim"], text["intermediate_size"], text["rope_theta"], self.config["n_audio_state"],
            self.config["stacked_frames"], 1 + len(heads),
        )  # fmt: skip
        model = SpeechLlama(shape, self.options.dropout)
        weights = {name: torch.from_numpy(array) for name, array in stored.items()}
        weights |= {"latent": torch.from_numpy(np.stack(heads)), "drafted": torch.from_numpy(drafted)}
        model.load_state_dict(weights | {"model.embed_tokens.weight": embedding})
        return model

    def _embedding(self) -> Tensor:
        """Return the tokens' embedding (v, d) by that of the ear: the end, the mean of what opens a text, all text."""
        rows = torch.from_numpy(read_safetensors(self.options.ear / WEIGHTS, only=EMBEDDING)[EMBEDDING])
        end, *opening = json.loads(self.people.about["opening"])
        count = self.config["text_config"]["vocab_size"] - 2
        joined = torch.cat([rows[end : end + 1], rows[opening].mean(0, keepdim=True), rows[:count]])
        return joined - joined.mean(-1, keepdim=True)

    @property
    def losses(self) -> HeadOptions:
        """Return the options with as many tokens at once as the model predicts."""
        options = self.options
        return HeadOptions(
            options.data, options.out, device=options.device, bfloat16=options.bfloat16, ahead=self.model.shape.ahead,
            head_weight=options.head_weight, trunk_share=options.trunk_share,
        )  # fmt: skip

    def batch(self, clips: list[int], chance: torch.Generator | None) -> Batch:
        """Return clips as a batch; by chance cut behind a word and changed."""
        mels, spelled = [], []
        for clip in clips:
            mel, tokens, times = self.people.mels[clip], self.people.tokens[clip], self.people.times[clip]
            if chance is not None:
                mel, count = _cut(mel, times, chance)
                made = changed(mel, 1, chance)
                tokens, times = tokens[:count], times[:count] * (len(made) / max(1, len(mel)))
                mel = made
            mels.append(mel)
            spelled.append((tokens.tolist(), times.tolist()))
        features, frames = self.people.features(mels)
        return batch_of(features, frames, spelled).to(self.options.device)

    def train_step(self) -> float:
        """Learn from clips that are cut and changed; return the loss of all heads."""
        options = self.options
        self._pool = self._pool or self.people.batches(options.seed, self.step, options.batch)
        clips, seed = self._pool.pop(), options.seed * 1_000_003 + self.step
        batch = self.batch(clips, torch.Generator().manual_seed(seed))
        loss = loss_of(self.model, batch, self.losses)
        self.model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        self._wrote += int((batch.targets != IGNORE).sum())
        return float(loss.detach())

    def averaged(self) -> SpeechLlama:
        """Return a copy of the model with averaged weights."""
        model = copy.deepcopy(self.model)
        model.load_state_dict(self.average, strict=False)  # what does not learn stays as it is
        return model.eval()

    @torch.no_grad()
    def measure(self) -> None:
        """Measure how many next tokens are told right, and how many of all that are told at once, and export."""
        model, options = self.averaged(), self.options
        right = np.zeros(model.shape.ahead)
        total = 0
        for first in range(0, len(self.people.held_out), options.batch):
            batch = self.batch(self.people.held_out[first : first + options.batch].tolist(), None)
            with torch.autocast(batch.features.device.type, torch.bfloat16, enabled=options.in_bfloat16):
                right += _told(model, batch)
            total += int((batch.targets != IGNORE).sum())
        found = {"next": round(float(right[0]) / total, 4), "at_once": round(float(right.sum()) / total, 3)}
        self.curve.append({"step": self.step, "minutes": round(self.minutes, 2), **found})
        self.report(f"held out: {found['next']:.2%} of {total} next tokens right, {found['at_once']} told at once")
        self._export(model, options.export or options.out / "model")

    def _export(self, model: SpeechLlama, out: Path) -> None:
        """Write the model in float16, described as the one that it began with."""
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.options.start / "tokenizer.json", out)
        described = {name: each for name, each in self.config.items() if name != "quantization"}
        (out / "config.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
        save_safetensors(export_weights(model), out / WEIGHTS, {"format": "mlx"})

    def described(self) -> str:
        """Return how much speech there is."""
        return self.people.described()

    def learnt(self) -> str:
        """Return how many tokens are told right, and how fast tokens were learnt."""
        first, last = self.curve[0], self.curve[-1]
        return (
            f"of held-out speakers' next tokens {first['next']:.1%} to {last['next']:.1%} right, {first['at_once']} to "
            f"{last['at_once']} told at once, in {self.step} steps, {self._wrote / self.learning_seconds:,.0f} tokens "
            f"a second"
        )


def _cut(mel: Tensor, times: NDArray[Any], chance: torch.Generator) -> tuple[Tensor, int]:
    """Return log-mel up to behind a word, by chance, and how many tokens are said in it; mostly all of it."""
    ends = np.flatnonzero(np.any(times[1:] != times[:-1], axis=1)) + 1  # a word begins there
    drawn, place = torch.rand(2, generator=chance).tolist()
    if drawn > CUT_SHARE or not len(ends):
        return mel, len(times)
    count = int(ends[int(place * len(ends))])
    end = min(times[count - 1][1] + BESIDE_A_CUT, (times[count - 1][1] + times[count][0]) / 2)
    return mel[: max(6, round(float(end) * FRAMES_PER_SECOND))], count


def _told(model: SpeechLlama, batch: Batch) -> NDArray[np.float64]:
    """Count, for each head, the places where it and all before it tell the right token."""
    heard = model.read_audio(model.embed(batch.features), through=True)
    states = model.write(heard, -(-batch.frames // model.shape.stacked), batch.tokens)
    right, found = torch.ones_like(batch.targets, dtype=torch.bool), []
    for ahead in range(1, model.shape.ahead + 1):
        targets = torch.nn.functional.pad(batch.targets[:, ahead - 1 :], (0, ahead - 1), value=IGNORE)
        best = model.logits(states.flatten(0, 1), ahead).argmax(-1).view_as(targets)
        right &= ((model.drafted[best] if ahead > 1 else best) == targets) & (targets != IGNORE)
        found.append(float(right.sum()))
    return np.array(found)


def train(options: PackedSpeechLlamaOptions) -> None:
    """Train until the time is up. EngineError where nothing was packed."""
    PackedSpeechLlama(options).learn()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, PackedSpeechLlamaOptions, SAYS, {"peak_rate": "rate"})
    add_run_arguments(parser, PackedSpeechLlamaOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(PackedSpeechLlamaOptions, args))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    add_arguments(asked)
    run(asked.parse_args())
