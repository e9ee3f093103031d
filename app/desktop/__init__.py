"""Earshot on the desktop beside its window: an icon, keys from anywhere, captions above everything.

In: the actions, and what captions and conversation are doing.
Out: the tray's icon and menu, presses of keys, the overlay shown or hidden.
Callers: application alone.
"""
