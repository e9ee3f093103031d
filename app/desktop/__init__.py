"""Earshot on the desktop outside its window: tray icon, system-wide keys, captions above everything.

In: the actions, and the state of captions and conversation.
Out: the tray's icon and menu, key presses, the overlay.
Callers: application alone.
"""
