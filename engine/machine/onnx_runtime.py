"""ONNX Runtime, which computes voices and the operations of models; it may report to nobody.

In: an environment.
Out: the package.
Callers: engine.machine.onnx_operations, engine.speak.onnx_model.
"""

from __future__ import annotations

import os
from typing import Any

_OFF = "ORT_DISABLE_TELEMETRY"
"""A variable without which the import alone looks up a server of Microsoft's, and names the computer in a file."""


def onnx_runtime() -> Any:
    """Import ONNX Runtime with its telemetry switched off. Raises ImportError where it is missing or damaged."""
    os.environ[_OFF] = "1"
    import onnxruntime

    return onnxruntime
