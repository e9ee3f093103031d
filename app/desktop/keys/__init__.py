"""System-wide keys, with one implementation for each kind of desktop.

In: key combinations to register.
Out: presses and releases, or why a key is refused.
Callers: app.desktop alone.
"""
