"""Figures of the papers, which stand beside ours in docs/papers.md, by the method that repeats them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WHISPERFLOW: Mapping[str, str] = {
    "hush": "1.29 to 2.26 times as soon; encoder's work 33%",
    "pruning-as-published": "2.04 to 3.15 times as soon; 2.26 to 2.85 candidates, r 0.54 to 0.69",
    "earshot-best-effort": "1.6 to 4.7 times as soon",
}
"""Figures 7, 10 and 11 and Table 4 of the WhisperFlow paper: base, small and medium, on other machines."""

PREDGEN: Mapping[str, Mapping[str, float]] = {
    "mt-bench": {"baseline": 1.0, "greedy": 1.6, "top-3": 2.0, "reflection": 2.6},
    "gsm8k": {"baseline": 1.0, "greedy": 1.1, "top-3": 2.5, "reflection": 2.0},
}
"""Speed-ups in Table 1 of the PredGen paper, Qwen2.5-7B-Instruct, by what was asked."""

MULTITOKEN: Mapping[str, Mapping[str, Any]] = {
    "single-beam": {"published_eta": 1.25},
    "latent-4-top-1-beam": {
        "published_eta": 0.53,
        "published_eta_ratio": 1.25 / 0.53,
        "published_rtf_ratio": 0.91 / 0.79,
    },
    "latent-4-0.8-beam": {
        "published_eta": 0.38,
        "published_eta_ratio": 1.25 / 0.38,
        "published_rtf_ratio": 0.47 / 0.79,
    },
}
"""Table I of arXiv:2409.08148, LibriSpeech test-clean, by the method that repeats each row."""

_SSBD_KEYS = ("published_comet", "published_erasure", "published_speedup")
SSBD: Mapping[str, Mapping[str, Any]] = {
    name: dict(zip(_SSBD_KEYS, found, strict=True))
    for name, found in {
        "plain": (0.882, 1.59, 1.00),
        "ssbd@0": (0.882, 1.53, 1.26),
        "ssbd@0.1": (0.881, 1.20, 1.35),
        "ssbd@0.2": (0.880, 1.02, 1.42),
        "ssbd@0.3": (0.870, 0.83, 1.51),
        "ssbd@0.4": (0.842, 0.57, 1.59),
        "ssbd@0.5": (0.741, 0.0, 2.00),
        "ssbd@1": (0.741, 0.0, 2.00),
        "mask-3": (0.881, 0.52, 1.35),
        "mask-5": (0.880, 0.33, 1.31),
        "display-3": (0.880, 0.53, 1.42),
        "display-5": (0.880, 0.35, 1.42),
    }.items()
}
"""Tables 3 and 4 of the SSBD paper: Tower+ 2B, Flores, English to Chinese."""
