"""Precision of training and its optimisers: bfloat16 where a machine has instructions for it, else float32.

Many processors have none, and there a product of bfloat16 takes tens of times as long as one of float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")
LEAST_NORM = 1e-7


def is_fast_at_bfloat16(device: str) -> bool:
    """Return whether a device ("cpu" or "cuda") multiplies bfloat16 faster than float32."""
    if device != "cpu":
        return True
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name) for name in _INSTRUCTIONS)


def orthogonalised(matrix: Tensor, steps: int = 5) -> Tensor:
    """Return roughly the nearest matrix (m, n) whose singular values are alike, in the precision of the one given.

    Five quintic Newton-Schulz steps with the coefficients of Jordan et al., "Muon: An optimizer for hidden layers in
    neural networks" (2024): the values end between about 0.7 and 1.2.
    """
    wide = matrix if matrix.size(0) <= matrix.size(1) else matrix.T
    found: Tensor = wide / wide.norm().clamp(min=LEAST_NORM)
    for _ in range(steps):
        gram = found @ found.T
        found = 3.4445 * found + (-4.7750 * gram + 2.0315 * gram @ gram) @ found
    return found if wide is matrix else found.T


class FullPrecisionMuon(torch.optim.Muon):
    """Muon that orthogonalises in float32; torch's always does it in bfloat16. Its state is that of torch's."""

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Apply the gradients, with the rate matched to AdamW's (0.2 of its mean square for each weight)."""
        for group in self.param_groups:
            rate, momentum = group["lr"], group["momentum"]
            for weights in group["params"]:
                gradient = weights.grad
                if gradient is None:
                    continue
                kept = self.state[weights].setdefault("momentum_buffer", torch.zeros_like(gradient))
                kept.lerp_(gradient, 1 - momentum)
                ahead = gradient.lerp(kept, momentum)
                weights.mul_(1 - rate * group["weight_decay"])
                weights.add_(orthogonalised(ahead), alpha=-rate * 0.2 * max(weights.shape) ** 0.5)


def make_optimisers(model: nn.Module, rate: float, bfloat16: bool) -> list[torch.optim.Optimizer]:
    """Return Muon for the matrices of the layers, and AdamW for all else."""
    muon = torch.optim.Muon if bfloat16 else FullPrecisionMuon
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        (matrices if ".layers." in name and parameter.ndim == 2 else rest).append(parameter)
    return [
        muon(matrices, lr=rate, weight_decay=0.05, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]
