"""The error of benches."""

from engine.errors import EngineError


class BenchError(EngineError):
    """A benchmark that cannot be run, or did not come to its end."""
