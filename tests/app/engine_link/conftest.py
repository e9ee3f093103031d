"""The fixture `script`, which these tests share with those of the tuning panel."""

from tests.app.tuning.conftest import script

__all__ = ["script"]
