"""How well Speech-LLaMA writes held-out speech while it is trained, and how surely its heads look ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from engine.metrics import WordErrors, word_errors
from engine.recipes.speech.ear_features import Changed, EarFeatures
from engine.recipes.speech.transcripts import FRAMES_PER_SECOND, Clip
from engine.recipes.speech_llama.model import KeysValues, SpeechLlama
from engine.recipes.speech_llama.tokens import BEGIN, BEGINS, END, WordSpelling

MOST_TOKENS_A_SECOND = 10.0


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The outcome of a trial.

    Attributes:
        wer: of the greedy transcripts, without case and punctuation.
        calls: forwards for each token and end of text, with the tokens that all heads before and at them are sure of.
        sure: for each head, how often it and all before it are surer than the threshold, on the model's own text.
        right: and how often these are what the first head would write.
    """

    wer: float
    calls: float
    sure: tuple[float, ...]
    right: tuple[float, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    def __str__(self) -> str:
        sure = " ".join(f"{share:.2f}" for share in self.sure)
        right = " ".join(f"{share:.2f}" for share in self.right)
        return f"WER {self.wer:.2%}, calls per token {self.calls:.3f}, sure {sure}, right {right}"


@torch.inference_mode()
def try_out(
    model: SpeechLlama, clips: Sequence[Clip], features: EarFeatures, spelling: WordSpelling, threshold: float,
    size: int = 20,
) -> TrialResult:  # fmt: skip
    """Write down clips greedily, then ask the heads what they would have predicted of it."""
    errors, calls, written = WordErrors(), 0, 0
    sure, right, places = (torch.zeros(model.shape.ahead) for _ in range(3))
    ordered = sorted(clips, key=lambda clip: clip.seconds)
    for start in range(0, len(ordered), size):
        some = ordered[start : start + size]
        tokens, states = transcribe(model, [np.array(features.read(Changed(clip, 0))) for clip in some])
        for row, (ids, clip) in enumerate(zip(tokens, some, strict=True)):
            errors += word_errors(clip.text, spelling.text(ids))
            surely, rightly = predicted(model, states[row, : len(ids)], ids, threshold)
            sure += surely.sum(0)
            right += (surely & rightly).sum(0)
            places += len(ids)
            written += len(ids)
            calls += forwards_needed(surely)
    return TrialResult(
        errors.rate,
        calls / max(written, 1),
        tuple((sure / places).tolist()),
        tuple((right / sure.clamp(min=1)).tolist()),
    )


def predicted(model: SpeechLlama, states: Tensor, ids: list[int], threshold: float) -> tuple[Tensor, Tensor]:
    """Tell whether each head (n, k) and all before it are sure at each place, and whether they are right."""
    surely, rightly = [], []
    text = torch.tensor(ids)
    for ahead in range(1, model.shape.ahead + 1):
        best = model.logits(states, ahead).float().softmax(-1).max(-1)
        later = torch.full_like(text, -1)
        later[: max(0, len(text) - ahead + 1)] = text[ahead - 1 :]
        surely.append((best.values >= threshold) | (ahead == 1) | (later < 0))
        foreseen = best.indices if ahead == 1 else model.drafted[best.indices]
        rightly.append((foreseen == later) | (later < 0))
    return torch.stack(surely, 1).cumprod(1).bool(), torch.stack(rightly, 1).cumprod(1).bool()


def forwards_needed(surely: Tensor) -> int:
    """Return how many forwards write a text whose heads are as sure as this (n, k)."""
    place = count = 0
    while place < len(surely):
        place += max(1, int(surely[place].sum()))
        count += 1
    return count


def transcribe(model: SpeechLlama, features: Sequence[np.ndarray]) -> tuple[list[list[int]], Tensor]:
    """Write down features (s, d) greedily: tokens with their end, and the states (b, t, d) before each."""
    batch = pad_sequence([torch.from_numpy(one.astype(np.float32)) for one in features], batch_first=True)
    counts = torch.tensor([-(-len(one) // model.shape.stacked) for one in features])
    heard = model.read_audio(model.embed(batch))
    past: list[KeysValues] = []
    given = torch.full((len(features), BEGINS), BEGIN)
    done = torch.zeros(len(features), dtype=torch.bool)
    states, tokens = [], []
    for _ in range(16 + int(MOST_TOKENS_A_SECOND * batch.shape[1] / FRAMES_PER_SECOND)):
        states.append(model.write(heard, counts, given, past)[:, -1:])
        given = model.logits(states[-1][:, -1]).argmax(-1, keepdim=True)
        given[done] = END
        done |= given[:, 0] == END
        tokens.append(given)
        if bool(done.all()):
            break
    written = torch.cat(tokens, 1).tolist()
    return [row[: row.index(END) + 1] if END in row else row for row in written], torch.cat(states, 1)
