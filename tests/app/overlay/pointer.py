"""A mouse on a Wayland desktop: `python -m tests.app.overlay.pointer`, with steps as lines on its input.

`move X Y` goes to a place of a screen of 1280 by 720; `press BUTTON` and `release BUTTON` name a button by Linux's
number. After each step it prints a line.
"""

from __future__ import annotations

import sys
import time
from ctypes import byref, c_uint32, c_void_p

from app.overlay.layer_shell import _GLOBAL, _GLOBAL_REMOVE, _Interface, _interface, _libwayland, _RegistryListener

LEFT, RIGHT = 272, 273
WIDTH, HEIGHT = 1280, 720
_MANAGER_NAME = b"zwlr_virtual_pointer_manager_v1"
_POINTER = _interface(
    b"zwlr_virtual_pointer_v1",
    ((b"motion", b"uff"), (b"motion_absolute", b"uuuuu"), (b"button", b"uuu"), (b"axis", b"uuf"), (b"frame", b"")),
    (),
)
_MANAGER = _interface(_MANAGER_NAME, ((b"create_virtual_pointer", b"?on"),), ())


def main() -> None:
    wayland = _libwayland()
    wayland.wl_display_connect.restype = c_void_p
    display = c_void_p(wayland.wl_display_connect(None))
    names: list[int] = []
    listener = _RegistryListener(
        _GLOBAL(lambda data, registry, name, kind, version: names.append(name) if kind == _MANAGER_NAME else None),
        _GLOBAL_REMOVE(lambda *_: None),
    )
    kind = _Interface.in_dll(wayland, "wl_registry_interface")
    registry = c_void_p(wayland.wl_proxy_marshal_flags(display, 1, byref(kind), 1, 0, None))
    wayland.wl_proxy_add_listener(registry, byref(listener), None)
    wayland.wl_display_roundtrip(display)
    bound = wayland.wl_proxy_marshal_flags(
        registry, 0, byref(_MANAGER), 1, 0, c_uint32(names[0]), _MANAGER_NAME, c_uint32(1), None
    )
    pointer = c_void_p(wayland.wl_proxy_marshal_flags(c_void_p(bound), 0, byref(_POINTER), 1, 0, None, None))

    def send(opcode: int, *values: int) -> None:
        wayland.wl_proxy_marshal_flags(pointer, opcode, None, 1, 0, *map(c_uint32, values))
        wayland.wl_proxy_marshal_flags(pointer, 4, None, 1, 0)
        wayland.wl_display_roundtrip(display)

    print("ready", flush=True)
    for line in sys.stdin:
        word, *numbers = line.split()
        moment = int(time.monotonic() * 1000) & 0xFFFFFFFF
        if word == "move":
            send(1, moment, *map(int, numbers), WIDTH, HEIGHT)
        else:
            send(2, moment, int(numbers[0]), int(word == "press"))
        print("done", flush=True)
    wayland.wl_display_disconnect(display)


if __name__ == "__main__":
    main()
