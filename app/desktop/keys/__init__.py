"""Keys that work while other programs are in front: one way for each kind of desktop.

In: key sequences to take from the whole desktop.
Out: presses and releases, or why a key is refused.
Callers: app.desktop alone.
"""
