"""The dialog of the settings: its pages, and the rows that only they have.

In: preferences, and what this machine offers.
Out: changed preferences, obeyed at once.
Callers: the window's dialogs alone.
"""
