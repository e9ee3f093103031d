"""The parameters that learn while a hush word is trained: its samples, and keys and values around a frozen model.

The kept keys and values begin as those of a window of silence at evenly spaced places. Each stands for many frames of
it, so its keys are moved along the mean query of their head until it draws as much attention as all of those.
Shapes: m kept places, h heads, s states of a head.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.audio import SAMPLE_RATE_HZ
from engine.hear.whisper.hush import ExtraKeysValues
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.padding import SAMPLES_PER_FRAME
from engine.hear.whisper.silence import QUIET_LOG_MEL
from lab.recipes.speech.torch_layers import Attention, Pair
from lab.recipes.speech.torch_whisper import TorchWhisper
from lab.recipes.speech.transcripts import Rules, Transcript

INITIAL_LEVEL = 0.003  # a start at 0.01 is heard as noise: its held-out loss began higher and stayed higher
LEAST_REST = 1e-4  # of the probability of all but the likeliest tokens


class Student(nn.Module):
    """A frozen model that hears audio followed by a hush word, with kept keys and values around both."""

    def __init__(self, hearing: HearingModel, seconds: float, kept: int, samples: Sequence[Transcript]) -> None:
        """Begin with quiet noise and silence; the mean queries are those of a few transcripts."""
        super().__init__()
        self.whisper = TorchWhisper(hearing.model).eval()
        self._rules = Rules(hearing.tokenizer, "cpu")
        self._tokenizer = hearing.tokenizer
        self.tail = nn.Parameter(torch.randn(round(seconds * SAMPLE_RATE_HZ)) * INITIAL_LEVEL)
        self.sides = nn.ParameterDict()
        if kept:
            with torch.no_grad():
                self._begin_with_silence(kept, samples)

    def kept(self) -> list[nn.Parameter]:
        """Return the keys and values (layers, h, m, s) of encoder and decoder; none where the word learns alone."""
        return list(self.sides.values())

    def learning(self) -> list[nn.Parameter]:
        """Return all parameters that learn."""
        return [self.tail, *self.kept()]

    def learnt(self) -> dict[str, Tensor]:
        """Return all parameters that learn, by name."""
        return {"tail": self.tail, **dict(self.sides.items())}

    def as_arrays(self) -> tuple[NDArray[np.float32], ExtraKeysValues | None]:
        """Return what was learnt, as a hush word holds it."""
        arrays = {name: tensor.detach().cpu().numpy().astype(np.float32) for name, tensor in self.learnt().items()}
        tail = arrays.pop("tail")
        return tail, ExtraKeysValues(**arrays) if arrays else None

    def cross(self, samples: Tensor) -> list[Pair]:
        """Return what each layer of the decoder attends to, of samples (n,)."""
        whisper, window = self.whisper, self.whisper.dims.n_audio_ctx * SAMPLES_PER_FRAME
        mel = whisper.log_mel(torch.cat([samples, self.tail])[None, :window])
        features = whisper.encoder(mel, around=self._around("encoder"))
        return whisper.decoder.cross(features, self._around("decoder"))

    def loss(self, transcript: Transcript, end_weight: float) -> tuple[Tensor, float]:
        """Sum how far each token's distribution is from the teacher's (Kullback-Leibler), and the weights of the sum.

        The teacher's likeliest tokens are compared one by one, all others as one.
        """
        device = self.tail.device
        opening = self._tokenizer.sot_sequence(transcript.clip.language)
        tokens = torch.tensor([[*opening, *transcript.tokens.tolist()]], device=device)
        cross = self.cross(torch.from_numpy(transcript.clip.listen()).to(device))
        states = self.whisper.decoder(tokens, cross)[0, len(opening) - 1 :]
        logits = self._rules.applied(self.whisper.decoder.logits(states)[None], first=True)[0]
        likeliest = torch.from_numpy(transcript.likeliest).long().to(device)
        wanted = torch.from_numpy(transcript.log_probabilities.astype(np.float32)).to(device)
        given = logits.log_softmax(-1).gather(1, likeliest)
        rest_wanted = (1 - wanted.exp().sum(1)).clamp(min=LEAST_REST)
        rest_given = (1 - given.exp().sum(1)).clamp(min=LEAST_REST)
        apart = (wanted.exp() * (wanted - given)).sum(1) + rest_wanted * (rest_wanted / rest_given).log()
        weights = torch.ones_like(apart)
        weights[-1] = end_weight
        return (apart * weights).sum(), float(weights.sum())

    def _around(self, side: str) -> list[Pair] | None:
        if not self.sides:
            return None
        keys, values = self.sides[f"{side}_keys"], self.sides[f"{side}_values"]
        return [(keys[layer][None], values[layer][None]) for layer in range(len(keys))]

    def _begin_with_silence(self, kept: int, samples: Sequence[Transcript]) -> None:
        encoder, decoder = self._silence()
        frames = self.whisper.dims.n_audio_ctx
        places = torch.linspace(0.15 * frames, frames - 10, kept).long()
        queries = self._mean_queries(samples)
        for side, layers in (("encoder", encoder), ("decoder", decoder)):
            keys = torch.cat([keys[:, :, places] for keys, _ in layers])
            mean = queries[side]
            stands_for = math.log(0.8 * frames / kept) * keys.shape[-1] ** 0.5
            keys = keys + (stands_for * mean / mean.square().sum(-1, keepdim=True))[:, :, None]
            self.sides[f"{side}_keys"] = nn.Parameter(keys)
            self.sides[f"{side}_values"] = nn.Parameter(torch.cat([values[:, :, places] for _, values in layers]))

    def _silence(self) -> tuple[list[Pair], list[Pair]]:
        """Return every layer's keys and values of a window of silence, in the encoder and in the decoder."""
        whisper, encoder = self.whisper, self.whisper.encoder
        mel = torch.full((1, 2 * whisper.dims.n_audio_ctx, whisper.dims.n_mels), QUIET_LOG_MEL)
        x = encoder.place(mel)
        layers = []
        for block in encoder.layers():
            normed = block.attn_ln(x)
            layers.append(block.attn.keys_values(normed))
            x = block.feed_forward(x + block.attn(normed, *layers[-1]))
        return layers, whisper.decoder.cross(encoder.ln_post(x))

    def _mean_queries(self, transcripts: Sequence[Transcript]) -> dict[str, Tensor]:
        """Return the mean query (layers, h, s) of the encoder's self-attention and of the decoder's cross-attention."""
        whisper = self.whisper
        sides: dict[str, list[Attention]] = {
            "encoder": [block.attn for block in whisper.encoder.layers()],
            "decoder": [block.cross_attn for block in whisper.decoder.layers()],
        }
        queries: dict[nn.Module, list[Tensor]] = {}

        def note(attention: nn.Module, given: tuple[Tensor, ...]) -> None:
            assert isinstance(attention, Attention)
            queries.setdefault(attention, []).append(attention.split(attention.query(given[0])).mean((0, 2)))

        hooks = [part.register_forward_pre_hook(note) for parts in sides.values() for part in parts]
        for one in transcripts:
            samples = torch.from_numpy(one.clip.listen())[None]
            opening = self._tokenizer.sot_sequence(one.clip.language)
            tokens = torch.tensor([[*opening, *one.tokens.tolist()]])
            whisper.decoder(tokens, whisper.decoder.cross(whisper.listen(F.pad(samples, (0, len(self.tail))))))
        for hook in hooks:
            hook.remove()
        return {
            side: torch.stack([torch.stack(queries[part]).mean(0) for part in parts]) for side, parts in sides.items()
        }
