"""Captions that float above every other window.

In: the transcript as it grows, and the overlay's preferences.
Out: a window of its own, moved and sized by mouse or keys.
Callers: desktop, and settings for their sample.
"""
