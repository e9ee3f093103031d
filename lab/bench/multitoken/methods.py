"""Methods of decoding that are compared: one token a forward, and several (arXiv:2409.08148).

All methods of a model hear the same audio with the same encoder, so that only the decoding differs. Each is held
against the next token's head alone: greedily, or with as many candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from engine.options import DecodeOptions

Model = Literal["speech-llama", "whisper"]
SPEECH_LLAMA: Model = "speech-llama"
WHISPER: Model = "whisper"
BEAM = 4

PLAIN = DecodeOptions(draft=False)
VERIFIED = replace(PLAIN, decoder="multitoken", tokens_ahead=4, acceptance="top-m", top_m=1)
BELIEVED = replace(VERIFIED, acceptance="threshold", threshold=0.8)
"""Heads that are believed, as the paper publishes them."""


@dataclass(frozen=True, slots=True)
class DecodingMethod:
    """One method of decoding.

    Attributes:
        name: name for `--methods`.
        title: its name in a table.
        single: the method that it is held against.
        drafts: whether it needs a draft network of the encoder.
    """

    name: str
    title: str
    model: Model
    decode: DecodeOptions
    single: str
    drafts: bool = False


METHODS = (
    DecodingMethod("single", "Speech-LLaMA, single head", SPEECH_LLAMA, PLAIN, "single"),
    DecodingMethod("draft", "Speech-LLaMA, draft of the encoder", SPEECH_LLAMA, DecodeOptions(), "single", True),
    DecodingMethod(
        "draft-heads", "the draft, and 6 heads", SPEECH_LLAMA, replace(VERIFIED, tokens_ahead=6, draft=True), "single",
        True,
    ),
    DecodingMethod("latent-4-top-1", "4 heads, verified (top-1)", SPEECH_LLAMA, VERIFIED, "single"),
    DecodingMethod("latent-4-0.8", "4 heads, threshold 0.8, as published", SPEECH_LLAMA, BELIEVED, "single"),
    DecodingMethod(
        "latent-4-0.8-draft", "the draft, and 4 heads, threshold 0.8 where it agrees", SPEECH_LLAMA,
        replace(BELIEVED, draft=True), "single", True,
    ),
    DecodingMethod(
        "single-beam", f"single head, beam {BEAM}", SPEECH_LLAMA, replace(PLAIN, beam_size=BEAM), "single-beam"
    ),
    DecodingMethod(
        "latent-4-top-1-beam", f"4 heads, verified (top-1), beam {BEAM}", SPEECH_LLAMA,
        replace(VERIFIED, beam_size=BEAM), "single-beam",
    ),
    DecodingMethod(
        "latent-4-0.8-beam", f"4 heads, threshold 0.8, as published, beam {BEAM}", SPEECH_LLAMA,
        replace(BELIEVED, beam_size=BEAM), "single-beam",
    ),
    DecodingMethod(
        "latent-4-0.8-draft-beam", f"the draft in place of 4 heads, threshold 0.8, beam {BEAM}", SPEECH_LLAMA,
        replace(BELIEVED, beam_size=BEAM, draft=True), "single-beam", True,
    ),
    DecodingMethod(
        "draft-beam", f"draft of the encoder, beam {BEAM}", SPEECH_LLAMA, DecodeOptions(beam_size=BEAM), "single-beam",
        True,
    ),
    DecodingMethod("whisper-greedy", "Whisper, greedy", WHISPER, PLAIN, "whisper-greedy"),
    DecodingMethod("whisper-draft", "Whisper, draft of the encoder", WHISPER, DecodeOptions(), "whisper-greedy", True),
)  # fmt: skip
"""All ways, in the order of the table."""

SWEEP_HEADS = (2, 3, 4, 5, 6)
SWEEP_THRESHOLDS = (0.5, 0.8, 0.95)
SWEEP_TOP_M = (1, 2, 5)


def sweep() -> tuple[DecodingMethod, ...]:
    """Return the methods of the paper's Figure 4: K heads, each believed from a threshold on or verified among M.

    The first K of the model's heads are used; in the paper a model was trained for each K.
    """
    believed = [
        DecodingMethod(
            f"latent-{heads}-{threshold:g}", f"{heads} heads, threshold {threshold:g}", SPEECH_LLAMA,
            replace(BELIEVED, tokens_ahead=heads, threshold=threshold), "single",
        )
        for heads in SWEEP_HEADS for threshold in SWEEP_THRESHOLDS
    ]  # fmt: skip
    verified = [
        DecodingMethod(
            f"latent-{heads}-top-{top_m}", f"{heads} heads, verified (top-{top_m})", SPEECH_LLAMA,
            replace(VERIFIED, tokens_ahead=heads, top_m=top_m), "single",
        )
        for heads in SWEEP_HEADS for top_m in SWEEP_TOP_M
    ]  # fmt: skip
    return (METHODS[0], *verified, *believed)
