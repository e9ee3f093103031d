"""Trains the starter hearing model on synthetic speech; resumable, on CPU or CUDA."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.recipes.starter_batches import Batch, audio_mask
from engine.recipes.starter_corpus import DRILL_SHARDS
from engine.recipes.starter_evaluation import HeldOutSpeech, error_rate
from engine.recipes.starter_examples import FRAME_SECONDS, IGNORE, PHONEMES, Targets
from engine.recipes.starter_export import export
from engine.recipes.starter_model import HearingModel, HearingShape
from engine.recipes.starter_speech import write_test_set
from engine.recipes.starter_text import training_sentences
from engine.recipes.starter_tokens import Vocabulary, collect_vocabulary, load_encoding, published_vocabulary
from engine.recipes.torch_training import (
    SpeechRunOptions,
    SpeechTraining,
    add_run_arguments,
    load_checkpoint,
    log,
    read_options,
    train_on_speech,
)

LEAST_OCCURRENCES = 4  # tokens rarer than this in all sentences are left out


@dataclass(frozen=True, slots=True)
class StarterHearingOptions(SpeechRunOptions):
    """What to train from, for how long, and where it goes.

    Attributes:
        vocabulary_file: multilingual.tiktoken; the mlx-whisper package's own if None.
        freeze_at: share of the run after which the lower layers of the ear stay.
    """

    vocabulary_file: Path | None = None
    minutes: float = 110.0
    states: int = 192
    heads: int = 3
    layers: int = 4
    batch_seconds: float = 90.0
    pool_examples: int = 384
    warmup_steps: int = 300
    freeze_at: float = 0.65
    evaluate_minutes: float = 8.0


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


class Training(SpeechTraining[StarterHearingOptions, HearingModel, Losses]):
    """The state of a run: everything a checkpoint holds."""

    def __init__(self, options: StarterHearingOptions) -> None:
        saved = load_checkpoint(options)
        encoding = load_encoding(options.vocabulary_file or published_vocabulary())
        self.vocabulary = (
            Vocabulary(tuple(saved["kept"]))
            if saved
            else collect_vocabulary(encoding, training_sentences(options.data), LEAST_OCCURRENCES)
        )
        self.targets = Targets(encoding, self.vocabulary)
        shape = HearingShape(len(self.vocabulary), len(PHONEMES), options.states, options.heads, options.layers)
        super().__init__(options, self.targets, lambda: HearingModel(shape), saved)

    def losses(self, batch: Batch) -> tuple[Tensor, Losses]:
        parts = losses(self.model, batch, self.options.bfloat16)
        return parts.total(self.progress), parts.detach()

    def choose_learning(self) -> None:
        """Stop training the layers that turn sound into phonemes, once they know it."""
        if self.progress < self.options.freeze_at:
            return
        encoder = self.model.encoder
        for part in (encoder.conv1, encoder.conv2, *encoder.blocks[: len(encoder.blocks) // 2]):
            for parameter in part.parameters():
                parameter.requires_grad_(False)
                parameter.grad = None

    def peculiar(self) -> dict[str, Any]:
        return {"kept": list(self.vocabulary.kept), "shape": self.model.shape.as_dict()}

    def describe(self, parts: Losses) -> str:
        return (
            f"text {parts.text:.3f} phonemes {parts.phonemes:.3f} guide {parts.guide:.3f} "
            f"utterances {len(self.corpus.utterances)}"
        )

    def hold_out(self) -> HeldOutSpeech:
        return HeldOutSpeech.make(self.options.data)

    def evaluate(self, held_out: HeldOutSpeech) -> None:
        """Measure the averaged model on held-out speech; export it if it is the best yet."""
        started = time.monotonic()
        model = self.averaged_model()
        rate, examples = error_rate(model, held_out, self.targets)
        best = min((point["wer"] for point in self.curve), default=1.0)
        self.curve.append({"seen": self.seen, "minutes": round(self.minutes, 1), "wer": round(rate, 4)})
        took = time.monotonic() - started
        log(self.options, f"WER {rate:.2%} after {self.seen} seen ({took:.0f} s) {examples}")
        if self.options.export and rate < min(best, 0.4):
            self._export(model, held_out, self.options.export)

    def _export(self, model: HearingModel, held_out: HeldOutSpeech, folder: Path) -> None:
        """Write the model; one that must not be used yet is no reason to stop training it."""
        try:
            export(model, held_out, self.targets, folder)
        except ValueError as error:
            log(self.options, f"not exported: {error}")
        else:
            log(self.options, f"exported to {folder}")


def train(options: StarterHearingOptions) -> None:
    """Train until the time is up, evaluating, saving and exporting on the way. EngineError where data is missing."""
    train_on_speech(options, Training, DRILL_SHARDS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ and, for recordings, speech/")
    parser.add_argument("--out", type=Path, default=Path("starter-hearing-run"), help="corpus, checkpoint, log")
    parser.add_argument("--vocabulary-file", type=Path, help="multilingual.tiktoken, if mlx-whisper is not installed")
    parser.add_argument("--export", type=Path, help="where the best model goes, e.g. assets/starter/hearing")
    parser.add_argument("--make-eval", type=Path, metavar="OUT", help="write held-out speech there, do not train")
    add_run_arguments(parser, StarterHearingOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    if args.make_eval is not None:
        print(write_test_set(args.data, args.make_eval))
        return
    train(read_options(StarterHearingOptions, args))


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(_parser)
    run(_parser.parse_args())
