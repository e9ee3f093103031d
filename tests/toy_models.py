"""The toy hearing models: small, fast, and deaf to people, for tests that are about something else than hearing well.

They hear espeak-ng's voices. Whoever needs one names its folder, as a person would (`--model FOLDER`): it has its hush
word beside its weights, so that processes that a test starts find all of it too.
"""

from __future__ import annotations

from pathlib import Path

_TOYS = Path(__file__).resolve().parent / "toy"
TOY = _TOYS / "hearing"
TOY_SPEECH_LLAMA = _TOYS / "speech_llama"
TOY_MEETING = _TOYS / "meeting.flac"
"""The beginning of a meeting of two of those voices (17 s); meeting.json has its sentences and their times."""
