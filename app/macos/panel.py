"""A window of Qt's that stays above all others, also above those that fill the screen, and that takes no focus."""

from __future__ import annotations

from app.macos.objective_c import Runtime, runtime

STATUS_WINDOW_LEVEL = 25  # above ordinary windows and the menu bar, below pop-up menus
NONACTIVATING = 1 << 7
ON_EVERY_SPACE = (
    1 << 0  # can join all Spaces
    | 1 << 4  # stays where it is while they change
    | 1 << 6  # is no window to be cycled through
    | 1 << 8  # may stand beside a window that fills the screen
    | 1 << 18  # also of another application
)


def float_above_all(view: int, objects: Runtime | None = None) -> None:
    """Have the window of an NSView float above everything; to be said again after Qt changed its flags.

    Raises:
        OSError: there is no Objective-C.
        AttributeError: or not this class.
    """
    objects = objects or runtime()
    window = objects.send(view, "window")
    if objects.send(window, "isKindOfClass:", objects.class_named("NSPanel")) & 0xFF:  # what Qt makes of a tool
        objects.send(window, "setStyleMask:", objects.send(window, "styleMask") | NONACTIVATING)
        # AppKit passes the mask on to the window server only when a panel is made, else by this (FB16484811).
        if objects.responds(window, "_setPreventsActivation:"):
            objects.send(window, "_setPreventsActivation:", 1)
    objects.send(window, "setLevel:", STATUS_WINDOW_LEVEL)
    objects.send(window, "setCollectionBehavior:", ON_EVERY_SPACE)
    objects.send(window, "setHidesOnDeactivate:", 0)
    objects.send(window, "setCanHide:", 0)  # it stays when ⌘H hides the app
