"""Fixtures that these tests share with those of tests/app/settings."""

from tests.app.settings.conftest import settings as settings
