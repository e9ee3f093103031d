"""Typing text into the active program, with one implementation for each kind of desktop.

In: text to type.
Out: key events in the other program; why they are impossible.
Callers: desktop alone.
"""
