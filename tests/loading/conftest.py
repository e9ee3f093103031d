"""Fixtures that these tests share with those of tests/models."""

from tests.models.conftest import empty_library as empty_library
