"""The command line: Earshot without a window.

In: arguments, typed lines, audio from files, pipes and microphones.
Out: captions, translations and conversations as text, JSON and files; exit codes.
Callers: `earshot` itself; no room of the window.
"""
