"""Operations of ONNX Runtime on arrays of numpy's: its functions use the vector instructions of the processor.

In: operations, added one by one, and the constants among their inputs.
Out: a function from arrays to arrays.
Callers: engine.machine.byte_products, engine.hear.whisper.cpu.

The few bytes that describe a network are written here, since the package that writes them takes longer to import than
all networks to load.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.machine.onnx_runtime import onnx_runtime

MICROSOFT = "com.microsoft"
"""The set of ONNX Runtime's own operations."""

_VERSIONS = {"": 20, MICROSOFT: 1}
_IR_VERSION = 9
_TYPES = {np.dtype(kind): code for kind, code in ((np.float32, 1), (np.uint8, 2), (np.int8, 3), (np.int64, 7))}
_INTEGER = 2  # the type of an attribute

_Parts = list[bytes | memoryview]


class Graph:
    """Operations in their order, and the function that they are."""

    def __init__(self, **inputs: type[Any]) -> None:
        """Begin with the function's inputs: their types by name."""
        self._inputs = inputs
        self._operations: list[_Parts] = []
        self._constants: list[NDArray[Any]] = []
        self._values = 0

    def add(self, operation: str, *inputs: str | NDArray[Any], domain: str = "", **attributes: int) -> str:
        """Add an operation on named values and on constants; return the name of the value that it makes."""
        return self.add_with(1, operation, *inputs, domain=domain, **attributes)[0]

    def add_with(
        self, outputs: int, operation: str, *inputs: str | NDArray[Any], domain: str = "", **attributes: int
    ) -> list[str]:
        """Add an operation that makes several values; return their names."""
        made = [f"value{self._values + index}" for index in range(outputs)]
        self._values += outputs
        given = [name if isinstance(name, str) else self._constant(name) for name in inputs]
        written = [part for name in given for part in _entry(1, name)]
        written += [part for name in made for part in _entry(2, name)]
        written += _entry(4, operation) + _entry(7, domain)
        for name, value in attributes.items():
            written += _entry(5, _entry(1, name) + _entry(3, value) + _entry(20, _INTEGER))
        self._operations.append(_entry(1, written))
        return made

    def function(self, *outputs: str) -> Callable[..., Any]:
        """Return the function from the inputs, in their order, to an array; to a list of several outputs.

        It computes on the thread that calls it.
        """
        onnxruntime = onnx_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.enable_mem_pattern = options.enable_cpu_mem_arena = False  # lengths differ from call to call
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(self._described(outputs), options, providers=["CPUExecutionProvider"])
        vars(session).pop("_model_bytes", None)  # it would keep all constants once more
        names, wanted, run = tuple(self._inputs), list(outputs), session.run
        if len(wanted) == 1:
            return lambda *arrays: run(wanted, dict(zip(names, arrays, strict=True)))[0]
        return lambda *arrays: run(wanted, dict(zip(names, arrays, strict=True)))

    def _constant(self, array: NDArray[Any]) -> str:
        self._constants.append(array)
        return _constant_name(len(self._constants) - 1)

    def _described(self, outputs: tuple[str, ...]) -> bytes:
        """Return an ONNX model: the numbers before the values are those of the fields in onnx.proto."""
        graph = _entry(2, "operations") + [part for parts in self._operations for part in parts]
        for index, array in enumerate(self._constants):
            shape = [part for size in array.shape for part in _entry(1, size)]
            numbers: _Parts = [array.reshape(-1).view(np.uint8).data]
            named = _entry(2, _TYPES[array.dtype]) + _entry(8, _constant_name(index))
            graph += _entry(5, shape + named + _entry(9, numbers))
        for name, kind in self._inputs.items():
            graph += _entry(11, _entry(1, name) + _entry(2, _entry(1, _entry(1, _TYPES[np.dtype(kind)]))))
        for name in outputs:
            graph += _entry(12, _entry(1, name))
        model = _entry(1, _IR_VERSION) + _entry(7, graph)
        for name, number in _VERSIONS.items():
            model += _entry(8, _entry(1, name) + _entry(2, number))
        return b"".join(model)


def _constant_name(index: int) -> str:
    return f"constant{index}"


def _entry(number: int, value: int | str | _Parts) -> _Parts:
    """Write a field of a protocol buffer, in parts: a whole number, or the value's bytes behind their count."""
    if isinstance(value, int):
        return [_whole(number << 3) + _whole(value)]
    parts: _Parts = [value.encode()] if isinstance(value, str) else value
    return [_whole(number << 3 | 2) + _whole(sum(map(len, parts))), *parts]


def _whole(number: int) -> bytes:
    """Write a whole number, seven bits a byte, the lowest first."""
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])
