"""How well Speech-LLaMA writes held-out speech while it is trained, and how surely its heads look ahead."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from engine.recipes.espeak import Voice
from engine.recipes.speech_llama_model import SpeechLlama
from engine.recipes.speech_llama_tokens import BEGIN, END, BytePairTargets
from engine.recipes.starter_evaluation import HeldOutSpeech, edit_distance, normalise, padded

VOICES = (Voice("en-us", 175), Voice("en-us+f3", 160), Voice("en-us+m3", 175))


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What a trial came to.

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
    model: SpeechLlama, trial: HeldOutSpeech, targets: BytePairTargets, threshold: float, size: int = 25
) -> TrialResult:
    """Write down all the speech of a trial greedily, then ask the heads what they would have predicted of it."""
    wrong = words = 0
    sure = torch.zeros(model.shape.ahead)
    right = torch.zeros(model.shape.ahead)
    places = torch.zeros(model.shape.ahead)
    calls = written = 0
    for start in range(0, len(trial.mels), size):
        tokens, states = transcribe(model, list(trial.mels[start : start + size]))
        for row, (ids, said) in enumerate(zip(tokens, trial.texts[start : start + size], strict=True)):
            spoken = normalise(said)
            wrong += edit_distance(spoken, normalise(targets.text(ids)))
            words += len(spoken)
            surely, rightly = predicted(model, states[row, : len(ids)], ids, threshold)
            sure += surely.sum(0)
            right += (surely & rightly).sum(0)
            places += len(ids)
            written += len(ids)
            calls += forwards_needed(surely)
    return TrialResult(
        wrong / max(words, 1),
        calls / max(written, 1),
        tuple((sure / places).tolist()),
        tuple((right / sure.clamp(min=1)).tolist()),
    )


def predicted(model: SpeechLlama, states: Tensor, ids: list[int], threshold: float) -> tuple[Tensor, Tensor]:
    """Whether each head (n, k) and all before it are sure at each place, and whether they are right."""
    surely, rightly = [], []
    text = torch.tensor(ids)
    for ahead in range(1, model.shape.ahead + 1):
        best = model.logits(states, ahead).float().softmax(-1).max(-1)
        later = torch.full_like(text, -1)
        later[: len(text) - ahead + 1] = text[ahead - 1 :]
        surely.append((best.values >= threshold) | (ahead == 1) | (later < 0))
        rightly.append((best.indices == later) | (later < 0))
    return torch.stack(surely, 1).cumprod(1).bool(), torch.stack(rightly, 1).cumprod(1).bool()


def forwards_needed(surely: Tensor) -> int:
    """How many forwards write a text whose heads are as sure as this (n, k), four tokens at most in one."""
    place = count = 0
    while place < len(surely):
        place += max(1, int(surely[place, :4].sum()))
        count += 1
    return count


def transcribe(model: SpeechLlama, mels: list[Tensor]) -> tuple[list[list[int]], Tensor]:
    """Write down log-mels (f, 80) greedily: tokens with their end, and the states (b, t, d) before each."""
    batch, frames, mask = padded(mels)
    audio, counts = model.listen(batch, frames, mask)
    tokens = torch.full((len(mels), 1), BEGIN)
    done = torch.zeros(len(mels), dtype=torch.bool)
    states = torch.zeros(0)
    for _ in range(16 + batch.shape[1] // 8):
        states, _ = model.write(audio, counts, tokens)
        chosen = model.logits(states[:, -1]).argmax(-1)
        chosen[done] = END
        done |= chosen == END
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        if bool(done.all()):
            break
    written = tokens[:, 1:].tolist()
    return [row[: row.index(END) + 1] if END in row else row for row in written], states
