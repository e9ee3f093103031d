"""Calls to macOS's frameworks, by messages to their objects.

In: a native window, work in progress, the wish to use a microphone.
Out: a window above all others, a process that is not slowed down, the user's answer.
Callers: sound, overlay, desktop, silence.
"""
