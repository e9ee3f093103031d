"""Graphs of operations compute what the operations say, on the thread that calls them."""

from __future__ import annotations

import numpy as np
import psutil

from engine.machine.onnx_operations import Graph


def test_a_graph_takes_arrays_in_their_order_and_constants_of_any_shape() -> None:
    generator = np.random.default_rng(0)
    x, y = (generator.normal(size=(3, 4)).astype(np.float32) for _ in range(2))
    matrix = generator.normal(size=(300, 4)).astype(np.float32).T  # laid out in columns, and longer than 127 bytes
    graph = Graph(x=np.float32, y=np.float32)
    product = graph.add("MatMul", graph.add("Sub", "x", "y"), matrix)
    compute = graph.function(graph.add("Mul", product, np.array(2, np.float32)))
    np.testing.assert_allclose(compute(x, y), 2 * (x - y) @ matrix, rtol=1e-5, atol=1e-5)


def test_several_outputs_are_a_list_in_their_order() -> None:
    graph = Graph(x=np.float32)
    first, second = graph.add_with(2, "Split", "x", axis=1, num_outputs=2)
    compute = graph.function(second, first)
    found = compute(np.arange(6, dtype=np.float32).reshape(1, 6))
    assert [each.tolist() for each in found] == [[[3, 4, 5]], [[0, 1, 2]]]


def test_a_function_starts_no_thread() -> None:
    before = psutil.Process().num_threads()
    graph = Graph(x=np.float32)
    compute = graph.function(graph.add("MatMul", "x", np.ones((256, 256), np.float32)))
    compute(np.ones((256, 256), np.float32))
    assert psutil.Process().num_threads() == before
