from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.speakers.clustering import groups, merges


def plain_merges(distances: np.ndarray) -> list[float]:
    """Join the nearest two groups of all, again and again, by the mean over all pairs of their members."""
    clusters = [[item] for item in range(len(distances))]
    found = []
    while len(clusters) > 1:
        pairs = [(a, b) for a in range(len(clusters)) for b in range(a + 1, len(clusters))]
        mean = {(a, b): float(np.mean(distances[np.ix_(clusters[a], clusters[b])])) for a, b in pairs}
        a, b = min(pairs, key=lambda pair: mean[pair])
        found.append(mean[a, b])
        clusters[a] += clusters.pop(b)
    return found


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_groups_are_joined_at_the_distances_of_plain_average_linkage(count: int, seed: int) -> None:
    points = np.random.default_rng(seed).standard_normal((count, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=-1).astype(np.float32)
    found = [each.distance for each in merges(distances)]
    np.testing.assert_allclose(found, plain_merges(distances), rtol=1e-4)


def test_groups_end_at_the_farthest_distance_or_at_a_number() -> None:
    places = np.array([0.0, 0.1, 5.0, 5.1, 20.0], np.float32)
    joined = merges(np.abs(places[:, None] - places))
    assert groups(joined, 5, farthest=1.0).tolist() == [0, 0, 1, 1, 2]
    assert groups(joined, 5, number=2).tolist() == [0, 0, 0, 0, 1]
    assert groups(joined, 5, number=5).tolist() == [0, 1, 2, 3, 4]
    assert groups([], 1).tolist() == [0]
