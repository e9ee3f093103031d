"""A Qt window that stays above all others, including full-screen ones, and does not get the focus."""

from __future__ import annotations

from app.macos.objective_c import Runtime, runtime

STATUS_WINDOW_LEVEL = 25  # above ordinary windows and the menu bar, below pop-up menus
NONACTIVATING = 1 << 7
ON_EVERY_SPACE = (
    1 << 0  # can join all Spaces
    | 1 << 4  # stays in place while they change
    | 1 << 6  # is skipped when cycling through windows
    | 1 << 8  # may appear beside a full-screen window
    | 1 << 18  # also of another application
)


def float_above_all(view: int, objects: Runtime | None = None) -> None:
    """Make the window of an NSView float above everything; repeat it after Qt has changed the window's flags.

    Raises:
        OSError: there is no Objective-C runtime.
        AttributeError: a class is missing.
    """
    objects = objects or runtime()
    window = objects.send(view, "window")
    if objects.send(window, "isKindOfClass:", objects.class_named("NSPanel")) & 0xFF:  # Qt's class for tool windows
        objects.send(window, "setStyleMask:", objects.send(window, "styleMask") | NONACTIVATING)
        # AppKit passes the mask to the window server only when a panel is made, or by this call (FB16484811).
        if objects.responds(window, "_setPreventsActivation:"):
            objects.send(window, "_setPreventsActivation:", 1)
    objects.send(window, "setLevel:", STATUS_WINDOW_LEVEL)
    objects.send(window, "setCollectionBehavior:", ON_EVERY_SPACE)
    objects.send(window, "setHidesOnDeactivate:", 0)
    objects.send(window, "setCanHide:", 0)  # it stays when ⌘H hides the app
