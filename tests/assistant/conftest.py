"""Fixtures that these tests share with those of tests/answer."""

from tests.answer.conftest import scripted_model as scripted_model
