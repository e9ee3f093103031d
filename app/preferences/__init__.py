"""The user's preferences, stored from one run to the next.

In: a file, changes of single values, what this machine offers.
Out: frozen, complete preferences, and a signal for each change.
Callers: every room except those that carry sound or messages.
"""
