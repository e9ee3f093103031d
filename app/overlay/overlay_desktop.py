"""Desktop-specific ways to keep the overlay on top and on every workspace, and their limits."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Mapping, MutableMapping
from enum import Flag, auto

from app.macos.panel import float_above_all
from app.overlay.layer_shell import BYPASS
from app.preferences.preferences import OverlayOptions

ALL_WORKSPACES = 0xFFFFFFFF

_CARDINAL, _REPLACE, _CLIENT_MESSAGE = 6, 0, 33
_SUBSTRUCTURE = 1 << 19 | 1 << 20  # the root's SubstructureNotify and -Redirect, which window managers select


class Limit(Flag):
    """Something that a desktop does not allow."""

    NONE = 0
    PLACE = auto()
    """Setting or reading the window's position, so that it is not stored and does not snap."""
    ON_TOP = auto()
    """Setting the stacking order and the workspaces."""
    MOUSE = auto()
    """Reports of the mouse entering and leaving while another program is active."""


def limits_of(platform: str) -> Limit:
    """Return the limits of the overlay on Qt's platform of this name (QGuiApplication.platformName())."""
    if platform.startswith("wayland"):
        return Limit.PLACE | Limit.ON_TOP
    return Limit.MOUSE if platform == "cocoa" else Limit.NONE  # Qt drops the events of macOS


def is_wayland(environment: Mapping[str, str]) -> bool:
    """Return whether the desktop is one of Wayland, whatever windows go through."""
    return bool(environment.get("WAYLAND_DISPLAY"))


def has_x11(environment: Mapping[str, str]) -> bool:
    """Return whether windows can go through XWayland."""
    return is_wayland(environment) and bool(environment.get("DISPLAY"))


def prepare_qt(options: OverlayOptions, environment: MutableMapping[str, str]) -> None:
    """Set what Qt reads at its start, so as to keep the overlay above: through XWayland, or else by layer-shell."""
    if options.through_x11 and has_x11(environment):
        environment.setdefault("QT_QPA_PLATFORM", "xcb")
    environment.setdefault(BYPASS, "1")


def is_unmanaged(platform: str, environment: Mapping[str, str]) -> bool:
    """Return whether the overlay is to escape the window manager.

    A Wayland compositor draws unmanaged windows of XWayland where they ask for it, above full-screen windows and on
    every workspace. It manages others as it likes: most do not place them, and some do not keep them on top.
    """
    return platform == "xcb" and is_wayland(environment)


def show_everywhere(platform: str, window: int) -> None:
    """Keep a native window on every workspace, on macOS also above full-screen windows.

    If a desktop cannot be asked, the window stays on its own workspace.
    """
    try:
        if platform == "cocoa":
            float_above_all(window)
        elif platform == "xcb":
            _show_on_every_desktop(window)
    except (OSError, AttributeError):
        return  # the library or the call is missing: the overlay works on one workspace


class _ClientMessage(ctypes.Structure):
    """Xlib's XClientMessageEvent, padded to the size of an XEvent."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 12),
    ]


def _show_on_every_desktop(window: int) -> None:
    """Ask the X11 window manager for all desktops according to EWMH, before the window is mapped and after."""
    xlib = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    xlib.XOpenDisplay.restype = ctypes.c_void_p
    xlib.XInternAtom.restype = xlib.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(xlib.XOpenDisplay(None))
    if not display:
        return
    atom = xlib.XInternAtom(display, b"_NET_WM_DESKTOP", 0)
    everywhere = ctypes.c_ulong(ALL_WORKSPACES)
    place = ctypes.c_ulong(window)
    xlib.XChangeProperty(display, place, ctypes.c_ulong(atom), _CARDINAL, 32, _REPLACE, ctypes.byref(everywhere), 1)
    message = _ClientMessage(type=_CLIENT_MESSAGE, window=window, message_type=atom, format=32)
    message.data[0], message.data[1] = ALL_WORKSPACES, 1
    root = ctypes.c_ulong(xlib.XDefaultRootWindow(display))
    xlib.XSendEvent(display, root, 0, ctypes.c_long(_SUBSTRUCTURE), ctypes.byref(message))
    xlib.XCloseDisplay(display)
