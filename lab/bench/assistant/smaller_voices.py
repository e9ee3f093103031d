"""Copies of a voice with weights in 16 or 8 bits, which are turned into float32 when it is loaded.

Computation is the same, so such a copy is as fast as the voice itself; only its words may differ.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.speak.onnx_model import read_model

LEAST_VALUES = 1_000
"""Values of a tensor that is worth storing in fewer bits."""


def write_smaller(folder: Path, out: Path, bits: int) -> Path:
    """Write a copy of a Piper voice with weights of 16 bits, or of 8 with a scale for each row; return its folder."""
    out.mkdir(parents=True, exist_ok=True)
    (file,) = folder.glob("*.onnx")
    model = read_model(file)
    nodes, weights = [], []
    for each in model.graph.initializer:
        values = numpy_helper.to_array(each)
        if each.data_type != TensorProto.FLOAT or values.size < LEAST_VALUES:
            weights.append(each)
            continue
        small, scale = (values.astype(np.float16), None) if bits == 16 else _in_8_bits(values)
        weights.append(numpy_helper.from_array(small, f"{each.name}.small"))
        whole = each.name if scale is None else f"{each.name}.whole"
        nodes.append(helper.make_node("Cast", [f"{each.name}.small"], [whole], to=TensorProto.FLOAT))
        if scale is not None:
            weights.append(numpy_helper.from_array(scale, f"{each.name}.scale"))
            nodes.append(helper.make_node("Mul", [whole, f"{each.name}.scale"], [each.name]))
    nodes += model.graph.node
    graph = helper.make_graph(nodes, "smaller", model.graph.input, model.graph.output, weights)
    onnx.save(
        helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version), str(out / file.name)
    )
    shutil.copy(file.with_name(f"{file.name}.json"), out)
    return out


def _in_8_bits(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return values as whole numbers from -127 to 127, and the scale of each row."""
    rows = np.abs(values.reshape(len(values), -1)).max(axis=1).reshape(-1, *[1] * (values.ndim - 1))
    scale = np.maximum(rows, 1e-12).astype(np.float32) / 127
    return np.round(values / scale).astype(np.int8), scale
