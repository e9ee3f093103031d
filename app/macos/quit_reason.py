"""The reason for a request to quit: the Apple event names log-out, restart and shut-down."""

from __future__ import annotations

import sys

from app.macos.objective_c import Runtime, runtime

_QUIT_REASON = int.from_bytes(b"why?", "big")  # kAEQuitReason
_PLACES = (
    "attributeDescriptorForKeyword:",
    "paramDescriptorForKeyword:",
)  # documented as an attribute, sent as a parameter


def is_session_ending(objects: Runtime | None = None) -> bool:
    """Return whether the quit request in progress comes from log-out, restart or shut-down."""
    if objects is None and sys.platform != "darwin":
        return False
    try:
        objects = objects or runtime()
        manager = objects.send(objects.class_named("NSAppleEventManager"), "sharedAppleEventManager")
        event = objects.send(manager, "currentAppleEvent")  # nil if the request comes from the menu
        return any(objects.send(event, place, _QUIT_REASON) for place in _PLACES)
    except (OSError, AttributeError):
        return False
