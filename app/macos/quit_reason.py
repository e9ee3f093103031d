"""What asks the app to quit: log-out, restart and shut-down name themselves in the Apple event, nothing else does."""

from __future__ import annotations

import sys

from app.macos.objective_c import Runtime, runtime

_QUIT_REASON = int.from_bytes(b"why?", "big")  # kAEQuitReason
_PLACES = ("attributeDescriptorForKeyword:", "paramDescriptorForKeyword:")  # documented as one, sent as the other


def is_session_ending(objects: Runtime | None = None) -> bool:
    """Tell whether the request to quit that is being handled just now comes from log-out, restart or shut-down."""
    if objects is None and sys.platform != "darwin":
        return False
    try:
        objects = objects or runtime()
        manager = objects.send(objects.class_named("NSAppleEventManager"), "sharedAppleEventManager")
        event = objects.send(manager, "currentAppleEvent")  # nil from the menu
        return any(objects.send(event, place, _QUIT_REASON) for place in _PLACES)
    except (OSError, AttributeError):
        return False
