"""Permission to use microphones: reading it, requesting it from the user, and where the user changes it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from enum import Enum

from app.macos.objective_c import Block, constant, runtime

LOOK_SECONDS = 0.05
PRIVACY_SETTINGS = "x-apple.systempreferences:com.apple.preference.security?Privacy_{}"
"""Address of a page of System Settings: "Microphone", "AudioCapture" (what the Mac plays) or "Accessibility"."""

_asked: list[Block] = []  # the system may call one at any time


class Permission(Enum):
    """The system's answer to whether the app may use microphones.

    Attributes:
        DENIED: the user refused, and can change that in the system's settings.
        RESTRICTED: this Mac's management refuses, which the user cannot change.
        NOT_ASKED: the user has not been asked yet.
        UNKNOWN: there is no such permission here, or it cannot be read.
    """

    GRANTED = "granted"
    DENIED = "denied"
    RESTRICTED = "restricted"
    NOT_ASKED = "not asked"
    UNKNOWN = "unknown"


_BY_STATUS = (Permission.NOT_ASKED, Permission.RESTRICTED, Permission.DENIED, Permission.GRANTED)
"""Permissions by AVAuthorizationStatus."""


def microphone_permission() -> Permission:
    """Read the permission without asking the user; UNKNOWN on other systems."""
    if sys.platform == "darwin":
        try:
            status = _authorization_status()
        except (OSError, AttributeError, ValueError):
            return Permission.UNKNOWN
        return _BY_STATUS[status] if status < len(_BY_STATUS) else Permission.UNKNOWN
    else:
        return Permission.UNKNOWN


def await_microphone_permission(stop: threading.Event) -> Permission:
    """Make the system ask the user if they have not been asked, and wait for the answer, or until `stop` is set.

    A device that is opened before the answer would deliver silence, even afterwards.
    """
    permission = microphone_permission()
    if permission is not Permission.NOT_ASKED:
        return permission
    answered = threading.Event()
    try:
        _request_access(lambda granted: answered.set())
    except (OSError, AttributeError, ValueError):
        return Permission.UNKNOWN
    while not answered.wait(LOOK_SECONDS):
        if stop.is_set():
            return Permission.NOT_ASKED
    return microphone_permission()


def _authorization_status() -> int:
    audio = constant("AVFoundation", "AVMediaTypeAudio")
    objects = runtime()
    return objects.send(objects.class_named("AVCaptureDevice"), "authorizationStatusForMediaType:", audio)


def _request_access(tell: Callable[[bool], None]) -> None:
    audio = constant("AVFoundation", "AVMediaTypeAudio")
    objects, block = runtime(), Block(tell)
    _asked.append(block)
    device = objects.class_named("AVCaptureDevice")
    objects.send(device, "requestAccessForMediaType:completionHandler:", audio, block)
