"""The settings dialog: its pages, and the rows that only they have.

In: preferences, and what this machine offers.
Out: changed preferences, with immediate effect.
Callers: the window's dialogs alone.
"""
