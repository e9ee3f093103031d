"""Voices in ONNX files: read and checked, cut into parts, and run by ONNX Runtime on the CPU."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import VoiceError
from engine.machine.onnx_runtime import onnx_runtime

if TYPE_CHECKING:
    import onnx
    import onnxruntime

MOST_BYTES = 1_500_000_000
"""Largest file that is read, in bytes."""

Values = Mapping[str, NDArray[Any]]


def read_model(path: Path) -> onnx.ModelProto:
    """Read a model, and check that it is whole and holds all its weights itself.

    Raises:
        VoiceError: it is none, or it names other files.
    """
    import onnx

    try:
        size = path.stat().st_size
        if not 0 < size <= MOST_BYTES:
            raise VoiceError(f"{path} has {size:,} bytes, so it is no voice. Fetch it again.")
        model = onnx.load(str(path), load_external_data=False)
        if any(each.data_location == onnx.TensorProto.EXTERNAL for each in model.graph.initializer):
            raise VoiceError(f"{path} keeps its weights in another file, which is not read. Look for a whole one.")
        if not (model.graph.node and model.graph.output):
            raise VoiceError(f"{path} holds no network. Fetch it again.")
    except OSError as error:
        raise VoiceError(f"{path} cannot be read: {error.strerror or error}.") from error
    except VoiceError:
        raise
    except Exception as error:  # protobuf and onnx raise errors of their own
        raise VoiceError(f"{path} is damaged, or no ONNX file: {one_line(error)}. Fetch it again.") from error
    return model


def fingerprint(path: Path) -> str:
    """Return a checksum of a file's bytes, to tell it from another one of the same name."""
    checksum = 0
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            checksum = zlib.crc32(part, checksum)
    return f"{checksum:08x}"


def inputs_of(model: onnx.ModelProto) -> set[str]:
    """Return the names of a model's inputs."""
    return {each.name for each in model.graph.input} - {each.name for each in model.graph.initializer}


def part_of(model: onnx.ModelProto, inputs: list[str], outputs: list[str]) -> onnx.ModelProto:
    """Cut the part out of a model that computes `outputs` from `inputs`, which may be values within it."""
    from onnx import TensorProto, helper

    made = {name: node for node in model.graph.node for name in node.output}
    used, needed, waiting = set(outputs), set[int](), list(outputs)
    while waiting:
        node = made.get(name := waiting.pop())
        if name in inputs or node is None or id(node) in needed:
            continue
        needed.add(id(node))
        used.update(node.input)
        waiting.extend(node.input)
    known = {each.name: each for each in (*model.graph.input, *model.graph.output)}
    values = [known.get(name) or helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    entries = [each for each in model.graph.input if each.name in used and each.name not in inputs]
    entries += [known.get(name) or helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in inputs]
    graph = helper.make_graph(
        [node for node in model.graph.node if id(node) in needed],
        "part",
        entries,
        values,
        [each for each in model.graph.initializer if each.name in used],
    )
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)


class Network:
    """A network that is loaded and can be run.

    Attributes:
        inputs: names of its inputs.
    """

    def __init__(self, model: onnx.ModelProto, name: str, threads: int = 1) -> None:
        """Load a network; `name` stands in errors. Raises VoiceError if ONNX Runtime refuses it.

        More than one thread of a run have to wait for each other, which takes long beside hearing.
        """
        onnxruntime = onnx_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 4
        options.enable_mem_pattern = False  # each sentence has another length
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._name = name
        try:
            content = model.SerializeToString()
            self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's errors have no common class
            raise VoiceError(f"{name} cannot be loaded: {one_line(error)}. Fetch it again.") from error
        self.inputs = {each.name for each in self._session.get_inputs()}

    def run(self, values: Values, options: onnxruntime.RunOptions | None = None) -> NDArray[np.float32]:
        """Return the network's first output. Raises VoiceError if it fails."""
        return self.outputs(values, None, options)[0]

    def outputs(
        self, values: Values, names: Sequence[str] | None, options: onnxruntime.RunOptions | None = None
    ) -> list[NDArray[np.float32]]:
        """Return the network's outputs of these names, or all. Raises VoiceError if it fails."""
        try:
            found = self._session.run(names, {name: values[name] for name in self.inputs}, options)
        except Exception as error:
            raise VoiceError(f"{self._name} failed: {one_line(error)}. Choose another voice.") from error
        return [np.asarray(each, np.float32) for each in found]


class BackgroundRun:
    """A run on a thread of its own, which can be cancelled at once."""

    def __init__(self, network: Network, values: Values) -> None:
        """Start the run."""
        onnxruntime = onnx_runtime()
        self._options = onnxruntime.RunOptions()
        self._result: NDArray[np.float32] | None = None
        self._failure: VoiceError | None = None
        self._thread = threading.Thread(target=self._run, args=(network, values), name="voice", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> NDArray[np.float32] | None:
        """Return the result; None if it is not there after this time. Raises VoiceError if the run failed."""
        self._thread.join(seconds)
        if self._failure is not None:
            raise self._failure
        return self._result

    def cancel(self) -> None:
        """End the run between two of its operations."""
        self._options.terminate = True
        self._thread.join()

    def _run(self, network: Network, values: Values) -> None:
        try:
            self._result = network.run(values, self._options)
        except VoiceError as error:
            self._failure = error


def one_line(error: Exception) -> str:
    """Return an error in one short line."""
    return " ".join(f"{type(error).__name__} {error}".split())[:200]
