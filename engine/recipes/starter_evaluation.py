"""Greedy word error rate of the starter hearing model on held-out sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engine.recipes.espeak import Voice, espeak
from engine.recipes.starter_batches import audio_mask
from engine.recipes.starter_examples import Targets
from engine.recipes.starter_mel import N_MELS, log_mel
from engine.recipes.starter_model import HearingModel
from engine.recipes.starter_text import held_out_sentences
from engine.recipes.starter_tokens import END, ENGLISH, NO_TIMESTAMPS, START, TRANSCRIBE


@dataclass(frozen=True)
class HeldOutSpeech:
    """Log-mels (f, 80) and their texts, shortest first."""

    mels: tuple[Tensor, ...]
    texts: tuple[str, ...]

    @classmethod
    def make(cls, data: Path, count: int = 200, voices: Sequence[Voice] = (Voice(),)) -> HeldOutSpeech:
        """Speak held-out sentences in the built-in voice, or in others in turn."""
        pairs = []
        for index, sentence in enumerate(held_out_sentences(data, count)):
            samples = espeak().speak(sentence, voices[index % len(voices)]).samples
            pairs.append((log_mel(torch.from_numpy(samples)), sentence))
        pairs.sort(key=lambda pair: len(pair[0]))
        return cls(tuple(mel for mel, _ in pairs), tuple(text for _, text in pairs))


def padded(mels: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Put log-mels (f, 80) into one batch (b, f, 80): with the frames of each (b,), and which audio there is."""
    longest = max(len(mel) for mel in mels)
    longest += longest % 2
    batch = torch.zeros(len(mels), longest, N_MELS)
    for row, mel in enumerate(mels):
        batch[row, : len(mel)] = mel
    frames = torch.tensor([len(mel) for mel in mels])
    return batch, frames, audio_mask(frames, longest)


@torch.inference_mode()
def transcribe(model: HearingModel, mels: list[Tensor], targets: Targets) -> list[str]:
    """Write down what is heard in log-mels (f, 80) of like lengths, greedily."""
    batch, _, mask = padded(mels)
    audio = model.encoder(batch, mask)
    vocabulary = targets.vocabulary
    opening = [vocabulary.row(token) for token in (START, ENGLISH, TRANSCRIBE, NO_TIMESTAMPS)]
    end, text_end = vocabulary.row(END), vocabulary.row(START)
    tokens = torch.tensor([opening] * len(mels))
    done = torch.zeros(len(mels), dtype=torch.bool)
    for _ in range(8 + batch.shape[1] // 12):
        states, _ = model.decoder(tokens, audio, mask)
        chosen = model.logits(states[:, -1])[:, :text_end].argmax(-1)
        chosen[done] = end
        done |= chosen == end
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        if bool(done.all()):
            break
    return [targets.text(row[len(opening) :].tolist()) for row in tokens]


def transcribe_all(model: HearingModel, speech: HeldOutSpeech, targets: Targets, size: int = 25) -> list[str]:
    """Write down all speech, so much at a time."""
    heard: list[str] = []
    for start in range(0, len(speech.mels), size):
        heard += transcribe(model, list(speech.mels[start : start + size]), targets)
    return heard


def error_rate(
    model: HearingModel, speech: HeldOutSpeech, targets: Targets, size: int = 25
) -> tuple[float, list[tuple[str, str]]]:
    """The word error rate, without case and punctuation, and a few pairs to read."""
    heard = transcribe_all(model, speech, targets, size)
    wrong = words = 0
    for said, got in zip(speech.texts, heard, strict=True):
        said_words = normalise(said)
        wrong += edit_distance(said_words, normalise(got))
        words += len(said_words)
    step = max(1, len(heard) // 4)
    return wrong / words, list(zip(speech.texts, heard, strict=True))[step // 2 :: step]


def normalise(text: str) -> list[str]:
    """Lower-case words without punctuation."""
    return re.sub(r"[^a-z' ]+", " ", text.lower()).replace("'", "").split()


def edit_distance(said: list[str], got: list[str]) -> int:
    """The fewest words to change, drop or add."""
    row = list(range(len(got) + 1))
    for i, word in enumerate(said, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (word != other))
    return row[-1]


@torch.inference_mode()
def final_states(model: HearingModel, speech: HeldOutSpeech, targets: Targets, every: int = 3) -> Tensor:
    """The decoder's final states (n, d) while it is told what held-out speech says."""
    collected = []
    for mel, text in zip(speech.mels[::every], speech.texts[::every], strict=True):
        tokens = torch.tensor([targets.rows(text)])
        states, _ = model.decoder(tokens, model.encoder(mel[None], None), None)
        collected.append(states[0])
    return torch.cat(collected).float()
