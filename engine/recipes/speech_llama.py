"""Trains the starter Speech-LLaMA on the starter hearing model's ear and speech; resumable, on CPU or CUDA.

In torch, as the starter models are: the same step takes MLX three times as long on a CPU. The loss is that of
arXiv:2409.08148 (equation 11), and some heads of the attention are taught to look where the coming tokens are said.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import OptionError
from engine.models.catalogue import ASSETS
from engine.recipes.speech_llama_export import export, load_ear
from engine.recipes.speech_llama_model import EMBEDDING_SECONDS, SpeechLlama, SpeechLlamaShape
from engine.recipes.speech_llama_tokens import BytePairTargets, learn_byte_pairs, targets_ahead
from engine.recipes.speech_llama_trial import VOICES, try_out
from engine.recipes.starter_batches import Batch, Stage, audio_mask
from engine.recipes.starter_evaluation import HeldOutSpeech
from engine.recipes.starter_examples import IGNORE
from engine.recipes.starter_text import training_sentences
from engine.recipes.torch_training import (
    RunOptions,
    SpeechRunOptions,
    SpeechTraining,
    add_run_arguments,
    load_checkpoint,
    log,
    read_options,
    train_on_speech,
)

STAGES = (
    Stage(0.06, 1, longest_seconds=4.0, plain=0.8),
    Stage(0.16, 2, joined=0.2, cut=0.08, longest_seconds=8.0, silent=0.01),
    Stage(0.70, 2, joined=0.3, cut=0.10, longest_seconds=8.5, silent=0.01, late=0.08),
    # No longer than what live captions keep: a second of audio costs more the longer the example is.
    Stage(
        1.01, 3, joined=0.6, cut=0.08, longest_seconds=10.5, silent=0.015, late=0.08, reverberant=0.05, masked=0.15,
        plain=0.35,
    ),
)  # fmt: skip
STARTER_EAR = ASSETS / "starter" / "hearing"
ALMOST_SURE = 0.8  # what the paper's threshold asks of a token
HELD_OUT = 150  # sentences that are measured


@dataclass(frozen=True, slots=True)
class SpeechLlamaOptions(SpeechRunOptions):
    """What to train from, for how long, and where it goes.

    Attributes:
        ear: the folder of the Whisper model whose encoder the training begins with.
        head_weight: of the losses of the tokens after the next (alpha of equation 11); half of it beyond the fourth.
        open_ear_at: share of the run after which the upper half of the encoder learns too.
    """

    ear: Path = STARTER_EAR
    ahead: int = 6
    head_weight: float = 0.2
    open_ear_at: float = 1.0
    decay_share: float = 0.6

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        if not 2 <= self.ahead <= 8:
            raise OptionError(f"ahead must be between 2 and 8, not {self.ahead}.")


def head_weights(options: SpeechLlamaOptions) -> list[float]:
    """What the loss of each head counts, the next token's first."""
    return [1.0] + [options.head_weight * (1.0 if k <= 4 else 0.5) for k in range(2, options.ahead + 1)]


@dataclass(slots=True)
class Losses:
    """The cross-entropy of each head, and how much the guided attention misses."""

    heads: list[Tensor]
    guide: Tensor

    def detach(self) -> Losses:
        """The same numbers without their history."""
        return Losses([part.detach() for part in self.heads], self.guide.detach())

    def total(self, weights: list[float], progress: float) -> Tensor:
        """Weigh the parts: where to look is taught most at first."""
        total = (0.1 + 0.4 * max(0.0, 1.0 - 2 * progress)) * self.guide
        for weight, part in zip(weights, self.heads, strict=True):
            total = total + weight * part
        return total


def losses(model: SpeechLlama, batch: Batch, bfloat16: bool) -> Losses:
    """Run the model over a batch and measure what it missed."""
    mask = audio_mask(batch.frames, batch.mel.shape[1])
    with torch.autocast(batch.mel.device.type, torch.bfloat16, enabled=bfloat16):
        audio, counts = model.listen(batch.mel, batch.frames, mask)
        states, seen = model.write(audio, counts, batch.tokens, guided=True)
        parts = []
        for ahead in range(1, model.shape.ahead + 1):
            targets = torch.from_numpy(targets_ahead(batch.targets.cpu().numpy(), ahead)).to(states.device)
            wanted = targets != IGNORE
            logits = model.logits(states[wanted], ahead).float()
            parts.append(F.cross_entropy(logits, targets[wanted], reduction="sum") / max(int(wanted.sum()), 1))
    assert seen is not None
    return Losses(parts, guide_loss(seen, batch.windows, model.shape))


def guide_loss(seen: Tensor, windows: Tensor, shape: SpeechLlamaShape) -> Tensor:
    """Ask each guided head (b, g, t, n) to look where the token that it stands for is said: windows (b, t, 2)."""
    starts = torch.arange(seen.shape[-1], device=seen.device) * EMBEDDING_SECONDS
    parts = []
    for index, (_, _, ahead) in enumerate(shape.guided):
        ahead_windows = windows[:, ahead - 1 :]
        if not ahead_windows.shape[1]:
            continue
        inside = (starts + EMBEDDING_SECONDS >= ahead_windows[..., :1] - 0.06) & (starts <= ahead_windows[..., 1:])
        known = ~ahead_windows[..., 0].isnan()
        mass = (seen[:, index, : ahead_windows.shape[1]] * inside).sum(-1)[known]
        parts.append(-(mass + 1e-4).log().sum() / max(mass.numel(), 1))
    return torch.stack(parts).mean()


class Training(SpeechTraining[SpeechLlamaOptions, SpeechLlama, Losses]):
    """The state of a run: everything a checkpoint holds."""

    def __init__(self, options: SpeechLlamaOptions) -> None:
        self.targets = BytePairTargets.load(_vocabulary(options))
        super().__init__(options, self.targets, self._begin, load_checkpoint(options), STAGES)

    def losses(self, batch: Batch) -> tuple[Tensor, Losses]:
        parts = losses(self.model, batch, self.options.bfloat16)
        return parts.total(head_weights(self.options), self.progress), parts.detach()

    def choose_learning(self) -> None:
        """Hold the ear, whose upper half learns too once the rest writes well."""
        if self.progress < self.options.open_ear_at:
            return
        blocks = self.model.encoder.blocks
        for part in (*blocks[len(blocks) // 2 :], self.model.encoder.ln_post):
            for parameter in part.parameters():
                parameter.requires_grad_(True)

    def describe(self, parts: Losses) -> str:
        return f"heads {' '.join(f'{part:.2f}' for part in parts.heads)} guide {parts.guide:.2f}"

    def hold_out(self) -> HeldOutSpeech:
        return HeldOutSpeech.make(self.options.data, HELD_OUT, VOICES)

    def evaluate(self, held_out: HeldOutSpeech) -> None:
        """Measure the averaged model on held-out speech, and export it."""
        model = self.averaged_model()
        result = try_out(model, held_out, self.targets, ALMOST_SURE)
        self.curve.append({"seen": self.seen, "minutes": round(self.minutes, 1), **result.as_dict()})
        log(self.options, f"after {self.seen} seen: {result}")
        if self.options.export:
            export(model, self.targets.tokenizer, self.options.export)

    def _begin(self) -> SpeechLlama:
        """The untrained model with a trained ear, which is held."""
        shape = SpeechLlamaShape(self.targets.tokenizer.get_vocab_size(), ahead=self.options.ahead)
        model = SpeechLlama(shape)
        load_ear(model.encoder, self.options.ear)
        model.encoder.requires_grad_(False)
        return model


def _vocabulary(options: SpeechLlamaOptions) -> Path:
    """The file of the byte pairs, learnt before the first step of a run."""
    file = options.out / "tokenizer.json"
    if not (options.resume and file.exists()):
        options.out.mkdir(parents=True, exist_ok=True)
        learn_byte_pairs(training_sentences(options.data)).save(str(file))
    return file


def train(options: SpeechLlamaOptions) -> None:
    """Train until the time is up, evaluating, saving and exporting on the way. EngineError where data is missing."""
    train_on_speech(options, Training)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--data", type=Path, required=True, help="folder with text/ and, for recordings, speech/")
    parser.add_argument("--out", type=Path, default=Path("speech-llama-run"), help="corpus, checkpoint, log")
    parser.add_argument("--ear", type=Path, default=STARTER_EAR, help="the Whisper model to begin with")
    parser.add_argument("--export", type=Path, help="where the model goes, e.g. assets/starter/speech-llama")
    parser.add_argument("--ahead", type=int, default=6, help="tokens predicted at once (default: %(default)s)")
    parser.add_argument(
        "--head-weight", type=float, default=0.2, help="of the tokens after the next in the loss (default: %(default)s)"
    )
    parser.add_argument(
        "--open-ear-at", type=float, default=1.0, metavar="SHARE",
        help="share of the run after which half of the encoder learns too (default: never)",
    )  # fmt: skip
    add_run_arguments(parser, SpeechLlamaOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(SpeechLlamaOptions, args))


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(_parser)
    run(_parser.parse_args())
