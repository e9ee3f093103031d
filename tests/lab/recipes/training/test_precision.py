"""Training in float32 where a processor has no bfloat16, against torch's own."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the recipes train with torch, a development-only dependency")

from lab.recipes.training.precision import FullPrecisionMuon, is_fast_at_bfloat16, orthogonalised  # noqa: E402
from lab.recipes.training.run import RunOptions  # noqa: E402


def test_singular_values_become_alike_and_the_directions_stay() -> None:
    torch.manual_seed(1)
    for shape in ((8, 24), (24, 8), (16, 16)):
        left, _, right = torch.linalg.svd(matrix := torch.randn(shape), full_matrices=False)
        found = orthogonalised(matrix)
        values = left.T @ found @ right.T
        assert found.shape == matrix.shape
        assert torch.allclose(values, torch.diag(values.diagonal()), atol=1e-4)
        assert values.diagonal().min() > 0.3 and values.diagonal().max() < 1.3


def test_steps_are_those_of_torch_but_for_its_rounding() -> None:
    options = {"lr": 1e-2, "weight_decay": 0.05, "adjust_lr_fn": "match_rms_adamw"}
    learnt = []
    for kind in (torch.optim.Muon, FullPrecisionMuon):
        torch.manual_seed(1)
        weights = [torch.nn.Parameter(torch.randn(shape)) for shape in ((8, 24), (24, 8))]
        wanted = [torch.randn_like(each) for each in weights]
        optimiser = kind(weights, **options)
        for _ in range(20):
            optimiser.zero_grad()
            sum(((each - goal) ** 2).sum() for each, goal in zip(weights, wanted, strict=True)).backward()
            optimiser.step()
        learnt.append(torch.cat([each.detach().flatten() for each in weights]))
        other = FullPrecisionMuon(weights, **options) if kind is torch.optim.Muon else torch.optim.Muon(weights)
        other.load_state_dict(optimiser.state_dict())  # a checkpoint of either goes on as the other
        assert other.state_dict()["state"].keys() == optimiser.state_dict()["state"].keys() == {0, 1}
    moved = (learnt[0] - learnt[1]).abs().max()
    assert 0 < moved < 0.02  # twenty steps went 0.2 for each weight


def test_bfloat16_is_used_where_it_is_allowed_and_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for capabilities, fast in (({"avx512_bf16": True}, True), ({"amx_bf16": True}, True), ({"avx2": True}, False)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=capabilities: found)
        assert is_fast_at_bfloat16("cpu") is fast
        assert RunOptions(Path(), Path()).in_bfloat16 is fast
        assert not RunOptions(Path(), Path(), bfloat16=False).in_bfloat16
    assert is_fast_at_bfloat16("cuda")
