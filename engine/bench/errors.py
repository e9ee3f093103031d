"""The error of benches."""

from engine.errors import EngineError


class BenchError(EngineError):
    """A benchmark without anything to measure."""
