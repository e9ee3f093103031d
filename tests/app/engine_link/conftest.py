"""What tests of commands in processes of their own share with those of the tuning panel, which starts some."""

from tests.app.tuning.conftest import script

__all__ = ["script"]
