"""Numbers in half precision are widened without a loss."""

from __future__ import annotations

import numpy as np

from engine.machine.halves import largest_half, widened


def test_every_finite_number_stays_the_same() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    found, expected = widened(finite), finite.astype(np.float32)
    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32), expected.view(np.uint32))  # zeros of both signs, too


def test_rows_that_are_float32_are_not_copied() -> None:
    rows = np.ones((3, 4), np.float32)
    assert widened(rows) is rows


def test_the_largest_size_is_found_whatever_its_sign() -> None:
    for numbers in ([1, -3, 2], [-1, -0.5], [0.25, 5], [-0.0], [1, np.inf], [1, -np.inf, 3]):
        halves = np.array(numbers, np.float16)
        assert largest_half(halves) == np.abs(halves).max()
    assert np.isnan(largest_half(np.array([1, np.nan, -np.inf], np.float16)))
    assert np.isnan(largest_half(np.array([1, -np.nan, np.inf], np.float16)))
