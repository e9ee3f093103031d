"""Trains a Speech-LLaMA on the frozen ear of a Whisper model, from what that model writes; resumable, on CPU or CUDA.

In torch: the same step takes MLX three times as long on a CPU. The model begins with what the Whisper's decoder knows
(see speech_llama_graft). The loss is that of arXiv:2409.08148 (equation 11), and some heads of the attention are taught
to look where the coming tokens are said.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import torch

from engine.errors import OptionError
from engine.hear.speech_llama.load import load_speech_llama, tokens_of
from engine.hear.speech_llama.recognizer import SpeechLlamaRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.hear.whisper.mel import MAX_SECONDS
from engine.metrics import WordErrors, word_errors
from engine.options import DecodeOptions
from lab.recipes.speech.ear_features import VERSIONS, Changed, EarFeatures
from lab.recipes.speech.torch_whisper import TorchWhisper
from lab.recipes.speech.transcripts import SourceClip, Transcript, TranscriptError, Transcripts, read_manifest
from lab.recipes.speech_llama.export import export
from lab.recipes.speech_llama.graft import graft, shape_for
from lab.recipes.speech_llama.lessons import Piece, SpeechLessons, trustworthy
from lab.recipes.speech_llama.loss import Batch, HeadOptions, loss_of, make_optimiser
from lab.recipes.speech_llama.model import SpeechLlama
from lab.recipes.speech_llama.tokens import WordSpelling, byte_pairs_of
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import Run, add_run_arguments, rate_at

POOL_BATCHES = 16  # sorted by length together, so that batches need little padding
REREAD_STEPS = 200  # between looks for transcripts and features that have come
SAYS = {
    "data": "transcripts (`train transcripts`)",
    "model": "what wrote them",
    "out": "features, checkpoint, log",
    "features": "where features are kept (default: in --out)",
    "export": "where the model goes, e.g. assets/starter/speech-llama",
    "bits": "of a number that is exported (default: float16)",
    "ahead": "tokens predicted at once",
    "batch": "examples in a step",
    "peak_rate": "of learning",
    "head_weight": "of the tokens after the next in the loss",
    "trunk_share": "of the heads' gradients for the layers",
}


@dataclass(frozen=True, slots=True)
class SpeechLlamaOptions(HeadOptions):
    """Options of a run: what to train from, for how long, and where it goes.

    Attributes:
        data: folders of transcripts.
        judge: a manifest of recordings with their text, of other speakers, that the run is measured on.
        model: the Whisper model that wrote them, whose ear is listened with.
        features: where features are kept; None is in `out`.
        batch: examples in a step.
        judged: recordings that are measured on the way.
        bits: to which the numbers of exported matrices are rounded; None is float16.
    """

    out: Path = Path("speech-llama-run")
    judge: Path = Path("judge.jsonl")
    model: str = "starter"
    features: Path | None = None
    ahead: int = 4
    dropout: float = 0.1
    batch: int = 24
    judged: int = 60
    bits: int | None = None
    workers: int = 1
    peak_rate: float = 1e-4
    warmup_steps: int = 30
    decay_share: float = 0.85

    def __post_init__(self) -> None:
        HeadOptions.__post_init__(self)
        if not 2 <= self.ahead <= 8:
            raise OptionError(f"ahead must be between 2 and 8, not {self.ahead}.")
        if self.bits not in (None, 4, 5, 6, 8):
            raise OptionError(f"bits must be 4, 5, 6 or 8, not {self.bits}.")


class SpeechLlamaTraining(Run):
    """A run: the model, the lessons, and what it is measured on."""

    report_steps = 25
    slowest_average = 0.99

    def __init__(self, options: SpeechLlamaOptions) -> None:
        super().__init__(options)
        self.options = options
        self.hearing = load_hearing_model(options.model)
        self.whisper = TorchWhisper(self.hearing.model).eval()
        self.features = EarFeatures(options.features or options.out / "features")
        self.transcripts = Transcripts(options.data, self.hearing.fingerprint)
        judged = read_manifest(options.judge, ["en"])
        fitting = [clip for clip in judged if clip.seconds <= MAX_SECONDS]
        self.judged = sorted(fitting, key=_rank)[: options.judged]
        self.speakers = {clip.speaker for clip in judged}
        tokenizer = self.hearing.tokenizer
        self.spelling = WordSpelling(byte_pairs_of(tokenizer))
        drafted = self.saved["drafted"].tolist() if self.saved else self._frequent()
        embedding = torch.from_numpy(np.array(tokens_of(self.hearing).astype(mx.float32)))
        shape = shape_for(self.hearing.model.dims, len(embedding), len(drafted), options.ahead)
        self.model = SpeechLlama(shape, options.dropout)
        self.model.drafted.copy_(torch.tensor(drafted))
        graft(self.model, self.whisper.decoder, embedding, tokenizer.sot_sequence("en"))
        self.model.to(options.device).train()
        self.follow(dict(self._trainable()), make_optimiser(self.model, options.peak_rate))
        self.seen = self.saved["seen"] if self.saved else 0
        self.pool: list[list[Piece]] = []
        self.lessons: SpeechLessons | None = None

    def teachable(self) -> list[Transcript]:
        """Return the transcripts that are there by now, without what is judged on and what is not likely right."""
        known = [one for one in self.transcripts.read() if one.clip.speaker not in self.speakers and trustworthy(one)]
        if not known:
            raise TranscriptError(f"{self.options.data} has no transcripts to learn from. Write some first.")
        return known

    def hear(self, clips: Sequence[SourceClip], versions: int, until: Callable[[], bool] = lambda: False) -> None:
        """Make the features of clips that are missing, until that says so."""
        wanted = [Changed(clip, version) for version in range(versions) for clip in clips]
        self.features.make(self.whisper.hear, wanted, self.options.workers, until)

    def next(self) -> Batch:
        """Return the next batch, drawing more where all are used up."""
        if not self.pool or self.lessons is None:
            if self.lessons is None or self.step % REREAD_STEPS < POOL_BATCHES:
                seed = self.options.seed + self.step
                self.lessons = SpeechLessons(self.teachable(), self.features, self.spelling, seed)
            self.pool = self.lessons.batches(POOL_BATCHES * self.options.batch, self.options.batch)
        return self.lessons.batch(self.pool.pop()).to(self.options.device)

    def train_step(self, batch: Batch | None = None) -> float:
        """Learn from a batch, the next one unless another is given."""
        batch = batch or self.next()
        loss = loss_of(self.model, batch, self.options)
        self.model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(self.options, self.step, self.share))
        self.seen += len(batch.tokens)
        return float(loss.detach())

    def averaged_model(self) -> SpeechLlama:
        """Return a copy of the model, on the CPU, with averaged weights."""
        model = copy.deepcopy(self.model).to("cpu")
        model.load_state_dict(self.average, strict=False)  # what does not learn stays as it is
        return model.eval()

    def _frequent(self) -> list[int]:
        """Return the tokens that the heads after the first may propose."""
        return self.spelling.frequent([word for word, *_ in one.words] for one in self.teachable())

    def _trainable(self) -> Iterator[tuple[str, torch.nn.Parameter]]:
        return ((name, each) for name, each in self.model.named_parameters() if each.requires_grad)

    def evaluate(self) -> None:
        """Export the averaged model, and measure it on what is judged on, as Earshot hears with it."""
        folder = self.options.export or self.options.out / "model"
        export(self.averaged_model(), self.spelling.tokenizer, self.hearing, folder, self.options.bits)
        recognizer = SpeechLlamaRecognizer(load_speech_llama(folder), DecodeOptions(decoder="multitoken", draft=False))
        errors, calls, written = WordErrors(), 0, 0
        for clip in self.judged:
            heard = recognizer.hear(clip.listen(), language="en")
            errors += word_errors(clip.text, heard.text)
            calls, written = calls + heard.forwards, written + heard.tokens
        found = {"wer": round(errors.rate, 4), "calls": round(calls / max(1, written), 3)}
        self.curve.append({"seen": self.seen, "minutes": round(self.minutes, 1), **found})
        self.report(f"after {self.seen} seen: {found['wer']:.2%} of the words wrong, {found['calls']} calls a token")

    def kept(self) -> dict[str, Any]:
        """Return what the heads may say, and how many examples were seen."""
        return {"drafted": self.model.drafted, "seen": self.seen}


def _rank(clip: SourceClip) -> str:
    return hashlib.sha256(clip.file.name.encode()).hexdigest()


def train(options: SpeechLlamaOptions) -> None:
    """Train until the time is up, evaluating, saving and exporting on the way. EngineError where data is missing."""
    training = SpeechLlamaTraining(options)
    clips = [one.clip for one in training.teachable()]
    training.hear(clips[: options.batch], 1)
    done = threading.Event()
    with ThreadPoolExecutor(1) as meanwhile:  # transcripts whose features are not there yet wait
        hearing = meanwhile.submit(training.hear, clips, VERSIONS, done.is_set)
        try:
            training.report(f"parameters {sum(p.numel() for p in training.model.parameters()):,}")
            training.train()
        finally:
            done.set()
        hearing.result()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument(
        "--judge", type=Path, required=True, metavar="MANIFEST",
        help="recordings with text to be measured on; their speakers are not learnt from",
    )  # fmt: skip
    add_options(parser, SpeechLlamaOptions, SAYS)
    add_run_arguments(parser, SpeechLlamaOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(SpeechLlamaOptions, args))
