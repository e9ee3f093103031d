"""Agglomerative clustering of voice prints: the two most similar groups are joined until they are too different.

The similarity of two groups is the mean over all pairs (average linkage). Pairs are found along chains of nearest
neighbours (Murtagh, 1983), which takes time in proportion to the square of the number of prints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Merge:
    """Two groups that were joined, each named by one of its members, at the mean distance of their members."""

    first: int
    second: int
    distance: float


def merges(distances: NDArray[np.float32]) -> list[Merge]:
    """Return how items with these distances (n, n) are joined to one group, nearest first."""
    count = len(distances)
    work = distances.astype(np.float64)
    np.fill_diagonal(work, np.inf)
    sizes = np.ones(count)
    alive = np.ones(count, bool)
    found, chain = list[Merge](), list[int]()
    while len(found) < count - 1:
        if not chain:
            chain.append(int(np.argmax(alive)))
        last = chain[-1]
        nearest = int(np.argmin(work[last]))
        if len(chain) > 1 and work[last, chain[-2]] <= work[last, nearest]:
            nearest = chain[-2]
        if len(chain) < 2 or nearest != chain[-2]:
            chain.append(nearest)
            continue
        del chain[-2:]
        found.append(Merge(nearest, last, float(work[last, nearest])))
        _join(work, sizes, alive, nearest, last)
    return sorted(found, key=lambda each: each.distance)


def _join(
    work: NDArray[np.float64], sizes: NDArray[np.float64], alive: NDArray[np.bool_], kept: int, gone: int
) -> None:
    """Make one group of two: `kept` stands for both from now on."""
    joined = (sizes[kept] * work[kept] + sizes[gone] * work[gone]) / (sizes[kept] + sizes[gone])
    work[kept], work[:, kept] = joined, joined
    work[gone], work[:, gone] = np.inf, np.inf
    work[kept, kept] = np.inf
    sizes[kept] += sizes[gone]
    alive[gone] = False


def groups(found: list[Merge], count: int, *, farthest: float = np.inf, number: int = 1) -> Labels:
    """Return the group of each of `count` items, numbered by first appearance.

    Groups are joined while they are no farther apart than `farthest` and more than `number` of them are left.
    """
    parents = list(range(count))

    def root(item: int) -> int:
        while parents[item] != item:
            item = parents[item]
        return item

    for merge in found[: max(0, count - number)]:
        if merge.distance > farthest:
            break
        parents[root(merge.second)] = root(merge.first)
    names = dict[int, int]()
    return np.array([names.setdefault(root(item), len(names)) for item in range(count)], np.intp)
