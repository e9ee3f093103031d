"""Operations of ONNX Runtime on arrays of numpy's: its functions use the vector instructions of the processor.

In: operations in their order, and the constants among their inputs.
Out: a function from arrays to an array.
Callers: engine.machine.byte_products, engine.hear.whisper.cpu.

The few bytes that describe a network are written here, since the package that writes them takes longer to import than
all networks to load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

ONNX, MICROSOFT = "", "com.microsoft"
"""Sets that operations are from: ONNX's own, and ONNX Runtime's."""

_VERSIONS = {ONNX: 20, MICROSOFT: 1}
_IR_VERSION = 9
_TYPES = {np.dtype(kind): code for kind, code in ((np.float32, 1), (np.uint8, 2), (np.int8, 3), (np.int64, 7))}
_INTEGER = 2  # the type of an attribute


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        name: in its set.
        inputs: names of values and constants.
        output: name of the value that it makes.
        domain: its set.
        attributes: whole numbers.
    """

    name: str
    inputs: Sequence[str]
    output: str
    domain: str = ONNX
    attributes: Mapping[str, int] = field(default_factory=dict)


def function(
    operations: Sequence[Operation], inputs: Mapping[str, type[Any]], constants: Mapping[str, NDArray[Any]]
) -> Callable[..., Any]:
    """Return a function from arrays, in the order of `inputs` (types by name), to the last operation's output.

    It computes on the thread that calls it.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_mem_pattern = options.enable_cpu_mem_arena = False  # lengths differ from call to call
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    described = _described(operations, inputs, constants)
    session = onnxruntime.InferenceSession(described, options, providers=["CPUExecutionProvider"])
    vars(session).pop("_model_bytes", None)  # it would keep all constants once more
    names, wanted, run = tuple(inputs), [operations[-1].output], session.run
    return lambda *arrays: run(wanted, dict(zip(names, arrays, strict=True)))[0]


def _described(
    operations: Sequence[Operation], inputs: Mapping[str, type[Any]], constants: Mapping[str, NDArray[Any]]
) -> bytes:
    """Return an ONNX model: the numbers before the values are those of the fields in onnx.proto."""
    graph = _entry(2, "operations")
    for one in operations:
        given = [part for name in one.inputs for part in _entry(1, name)]
        given += _entry(2, one.output) + _entry(4, one.name) + _entry(7, one.domain)
        for name, value in one.attributes.items():
            given += _entry(5, _entry(1, name) + _entry(3, value) + _entry(20, _INTEGER))
        graph += _entry(1, given)
    for name, array in constants.items():
        shape = [part for size in array.shape for part in _entry(1, size)]
        kind = _entry(2, _TYPES[array.dtype])
        graph += _entry(5, shape + kind + _entry(8, name) + _entry(9, [array.reshape(-1).view(np.uint8).data]))
    for name, type_ in inputs.items():
        graph += _entry(11, _entry(1, name) + _entry(2, _entry(1, _entry(1, _TYPES[np.dtype(type_)]))))
    graph += _entry(12, _entry(1, operations[-1].output))
    model = _entry(1, _IR_VERSION) + _entry(7, graph)
    for name, number in _VERSIONS.items():
        model += _entry(8, _entry(1, name) + _entry(2, number))
    return b"".join(model)


def _entry(number: int, value: int | str | list[bytes | memoryview]) -> list[bytes | memoryview]:
    """Write a field of a protocol buffer, in parts: a whole number, or the value's bytes behind their count."""
    if isinstance(value, int):
        return [_whole(number << 3) + _whole(value)]
    parts = [value.encode()] if isinstance(value, str) else value
    return [_whole(number << 3 | 2) + _whole(sum(map(len, parts))), *parts]


def _whole(number: int) -> bytes:
    """Write a whole number, seven bits a byte, the lowest first."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])
