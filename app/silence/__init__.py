"""Diagnosis of silence: why nothing is captioned, and what to do about it.

In: the system's sound devices, and the state of a recording.
Out: findings as cards, and a test of the microphone.
Callers: the window and screenshots.
"""
