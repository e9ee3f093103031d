"""The overlay as a surface of Wayland's layer-shell, above all windows, where the compositor speaks it.

Qt leaves a window that bypasses the window manager without a role, and this gives it one, on Qt's own connection:
libwayland is called for the protocol that Qt for Python lacks. See
https://wayland.app/protocols/wlr-layer-shell-unstable-v1.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int32, c_ssize_t, c_uint32, c_void_p
from functools import cache
from typing import Any

import shiboken6
from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QWindow

BYPASS = "QT_WAYLAND_USE_BYPASSWINDOWMANAGERHINT"
"""The variable by which Qt leaves windows with Qt.BypassWindowManagerHint without a role."""

_SHELL = b"zwlr_layer_shell_v1"
_OVERLAY = 3  # the layer above full-screen windows
_TOP_LEFT = 1 | 4
_WITHOUT_EXCLUSIVE_ZONE = -1  # panels do not move it
_DESTROY = 1  # flag of a request that ends its object
_GET_REGISTRY, _BIND, _COMMIT, _GET_LAYER_SURFACE = 1, 0, 6, 0
_SET_SIZE, _SET_ANCHOR, _SET_ZONE, _SET_MARGIN, _SET_KEYBOARD, _ACK, _DESTROY_SURFACE = 0, 1, 2, 3, 4, 6, 7


class _Message(Structure):
    _fields_ = [("name", c_char_p), ("signature", c_char_p), ("types", POINTER(c_void_p))]


class _Interface(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("version", c_int),
        ("method_count", c_int),
        ("methods", POINTER(_Message)),
        ("event_count", c_int),
        ("events", POINTER(_Message)),
    ]


_NO_TYPES = (c_void_p * 8)()


def _interface(name: bytes, methods: tuple[tuple[bytes, bytes], ...], events: tuple[tuple[bytes, bytes], ...]) -> Any:
    """Describe an interface to libwayland, by the names and signatures of its requests and events."""
    requests = (_Message * max(len(methods), 1))(*(_Message(*each, _NO_TYPES) for each in methods))
    told = (_Message * max(len(events), 1))(*(_Message(*each, _NO_TYPES) for each in events))
    return _Interface(name, 1, len(methods), requests, len(events), told)


_LAYER_SHELL = _interface(_SHELL, ((b"get_layer_surface", b"no?ous"),), ())
_LAYER_SURFACE = _interface(
    b"zwlr_layer_surface_v1",
    (
        (b"set_size", b"uu"),
        (b"set_anchor", b"u"),
        (b"set_exclusive_zone", b"i"),
        (b"set_margin", b"iiii"),
        (b"set_keyboard_interactivity", b"u"),
        (b"get_popup", b"o"),
        (b"ack_configure", b"u"),
        (b"destroy", b""),
    ),
    ((b"configure", b"uuu"), (b"closed", b"")),
)
_GLOBAL = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_char_p, c_uint32)
_GLOBAL_REMOVE = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32)
_CONFIGURE = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_uint32, c_uint32)
_CLOSED = CFUNCTYPE(None, c_void_p, c_void_p)


class _RegistryListener(Structure):
    _fields_ = [("added", _GLOBAL), ("removed", _GLOBAL_REMOVE)]


class _SurfaceListener(Structure):
    _fields_ = [("configure", _CONFIGURE), ("closed", _CLOSED)]


class LayerShell:
    """The compositor's layer-shell, on Qt's connection. Raises OSError if there is none."""

    def __init__(self) -> None:
        app = QGuiApplication.instance()
        native = app.nativeInterface() if isinstance(app, QGuiApplication) else None
        if native is None or not hasattr(native, "display") or QGuiApplication.platformName() != "wayland":
            raise OSError("Qt does not speak Wayland here")
        self._display = c_void_p(native.display())
        try:
            self._wayland = _libwayland()
            self._handle, self._surface_of = _qt_functions()
            self._registry_interface = _Interface.in_dll(self._wayland, "wl_registry_interface")
        except (AttributeError, ValueError) as error:  # another Qt, or another libwayland
            raise OSError(str(error)) from error
        self._queue = c_void_p(self._wayland.wl_display_create_queue(self._display))
        self._shell = self._find_shell()

    def surface(self, window: QWindow) -> LayerSurface:
        """Make a layer of a window that has no role. Raises OSError if it has no surface."""
        surface = self._surface(window)
        made = self._request(self._shell, _GET_LAYER_SURFACE, _LAYER_SURFACE, None, surface, None, _OVERLAY, b"earshot")
        return LayerSurface(self, c_void_p(made), surface)

    def _surface(self, window: QWindow) -> c_void_p:
        platform_window = self._handle(shiboken6.getCppPointer(window)[0])
        if not platform_window:
            raise OSError("the window is not created yet")
        # Of a class with several bases the table of functions tells where the whole object begins.
        table = c_void_p.from_address(platform_window).value or 0
        whole = platform_window + c_ssize_t.from_address(table - 2 * ctypes.sizeof(c_void_p)).value
        surface = self._surface_of(whole)
        if not surface or self._wayland.wl_proxy_get_class(surface) != b"wl_surface":
            raise OSError("the window has no surface")
        return c_void_p(surface)

    def _find_shell(self) -> c_void_p:
        """Bind the layer-shell among what the compositor offers."""
        found: list[int] = []

        def note(data: object, registry: object, name: int, interface: bytes, version: int) -> None:
            if interface == _SHELL:
                found.append(name)

        listener = _RegistryListener(_GLOBAL(note), _GLOBAL_REMOVE(lambda *_: None))
        wrapper = c_void_p(self._wayland.wl_proxy_create_wrapper(self._display))
        self._wayland.wl_proxy_set_queue(wrapper, self._queue)
        registry = c_void_p(self._request(wrapper, _GET_REGISTRY, self._registry_interface, None))
        self._wayland.wl_proxy_wrapper_destroy(wrapper)
        self._wayland.wl_proxy_add_listener(registry, byref(listener), None)
        self.wait()
        if not found:
            self._wayland.wl_proxy_destroy(registry)
            raise OSError("the compositor has no layer-shell")
        shell = self._request(registry, _BIND, _LAYER_SHELL, c_uint32(found[0]), _SHELL, c_uint32(1), None)
        self._wayland.wl_proxy_destroy(registry)
        return c_void_p(shell)

    def _request(self, proxy: c_void_p, opcode: int, interface: Any, *values: Any) -> int:
        """Send a request that makes an object of an interface; return the object."""
        made = self._wayland.wl_proxy_marshal_flags(proxy, opcode, byref(interface), 1, 0, *values)
        if not made:
            raise OSError("the compositor does not answer")
        return int(made)

    def send(self, proxy: c_void_p, opcode: int, *values: Any, ends: bool = False) -> None:
        """Send a request that makes nothing; `ends` destroys the proxy with it."""
        self._wayland.wl_proxy_marshal_flags(proxy, opcode, None, 1, _DESTROY if ends else 0, *values)

    def listen(self, proxy: c_void_p, listener: Structure) -> None:
        """Let a proxy's events call a listener's functions."""
        self._wayland.wl_proxy_add_listener(proxy, byref(listener), None)

    def leave_to_qt(self, proxy: c_void_p) -> None:
        """Let Qt hand out a proxy's events from now on."""
        self._wayland.wl_proxy_set_queue(proxy, None)

    def wait(self) -> None:
        """Wait until the compositor has answered all requests."""
        self._wayland.wl_display_roundtrip_queue(self._display, self._queue)


class LayerSurface:
    """The role of a window above all others, until `close`.

    Attributes:
        is_open: whether the compositor still shows it.
    """

    def __init__(self, shell: LayerShell, proxy: c_void_p, surface: c_void_p) -> None:
        self.is_open = True
        self._shell, self._proxy, self._surface = shell, proxy, surface
        self._listener = _SurfaceListener(_CONFIGURE(self._acknowledge), _CLOSED(self._note_end))
        shell.listen(proxy, self._listener)
        self._send(_SET_ANCHOR, c_uint32(_TOP_LEFT))
        self._send(_SET_ZONE, c_int32(_WITHOUT_EXCLUSIVE_ZONE))

    def open(self, rect: QRect) -> None:
        """Ask for a place on the screen, and wait for the compositor's answer; then Qt may paint."""
        self.place(rect)
        self._shell.wait()
        self._shell.leave_to_qt(self._proxy)

    def place(self, rect: QRect) -> None:
        """Ask for another place on the screen."""
        self._send(_SET_SIZE, c_uint32(rect.width()), c_uint32(rect.height()))
        self._send(_SET_MARGIN, c_int32(rect.top()), c_int32(0), c_int32(0), c_int32(rect.left()))
        self._shell.send(self._surface, _COMMIT)

    def take_keys(self, takes: bool) -> None:
        """Direct the keyboard to it, or away from it."""
        self._send(_SET_KEYBOARD, c_uint32(takes))
        self._shell.send(self._surface, _COMMIT)

    def close(self) -> None:
        """Remove the role from the window."""
        self.is_open = False
        self._shell.send(self._proxy, _DESTROY_SURFACE, ends=True)

    def _send(self, opcode: int, *values: Any) -> None:
        self._shell.send(self._proxy, opcode, *values)

    def _acknowledge(self, data: object, proxy: object, serial: int, width: int, height: int) -> None:
        self._send(_ACK, c_uint32(serial))

    def _note_end(self, data: object, proxy: object) -> None:
        self.is_open = False


def _libwayland() -> Any:
    library: Any = ctypes.CDLL("libwayland-client.so.0")
    library.wl_display_create_queue.restype = c_void_p
    library.wl_proxy_create_wrapper.restype = c_void_p
    library.wl_proxy_marshal_flags.restype = c_void_p
    library.wl_proxy_get_class.restype = c_char_p
    library.wl_proxy_get_class.argtypes = [c_void_p]
    return library


def _qt_functions() -> tuple[Any, Any]:
    """Return the functions for a window's part of the platform, and for the surface of that."""
    handle: Any = ctypes.CDLL("libQt6Gui.so.6")["_ZNK7QWindow6handleEv"]
    surface: Any = ctypes.CDLL("libQt6WaylandClient.so.6")["_ZNK15QtWaylandClient14QWaylandWindow9wlSurfaceEv"]
    for function in (handle, surface):
        function.restype, function.argtypes = c_void_p, [c_void_p]
    return handle, surface


@cache
def layer_shell() -> LayerShell | None:
    """Return the compositor's layer-shell; None if it has none, or if Qt gives every window another role."""
    if not os.environ.get(BYPASS):
        return None
    try:
        return LayerShell()
    except OSError:
        return None
