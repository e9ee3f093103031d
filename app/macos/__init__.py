"""What macOS alone has to be asked or told, by messages to the objects of its frameworks.

In: a native window, work that is going on, the wish to use a microphone.
Out: a window above all others, a process that is not slowed down, the person's answer.
Callers: whatever Linux has no word for: sound, overlay, desktop, silence.
"""
