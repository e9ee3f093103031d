"""Leave to use microphones: what the system says, having it ask the person, and where the person changes it."""

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
    """An answer of the system to whether the app may use microphones.

    Attributes:
        DENIED: the person said no, and can change that in the system's settings.
        RESTRICTED: this Mac's management says no, which the person cannot change.
        NOT_ASKED: nobody has been asked yet.
        UNKNOWN: there is no such thing here, or it cannot be found out.
    """

    GRANTED = "granted"
    DENIED = "denied"
    RESTRICTED = "restricted"
    NOT_ASKED = "not asked"
    UNKNOWN = "unknown"


_BY_STATUS = (Permission.NOT_ASKED, Permission.RESTRICTED, Permission.DENIED, Permission.GRANTED)
"""By AVAuthorizationStatus."""


def microphone_permission() -> Permission:
    """Ask the system without asking the person; UNKNOWN wherever there is no such thing."""
    if sys.platform == "darwin":
        try:
            status = _authorization_status()
        except (OSError, AttributeError, ValueError):
            return Permission.UNKNOWN
        return _BY_STATUS[status] if status < len(_BY_STATUS) else Permission.UNKNOWN
    else:
        return Permission.UNKNOWN


def await_microphone_permission(stop: threading.Event) -> Permission:
    """Have the system ask the person where nobody has been asked, and wait for the answer, or until `stop` is set.

    What is opened before the answer would deliver silence, and go on doing so afterwards.
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
