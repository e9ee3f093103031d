"""Recordings written down one after the other, as fast as this machine can.

In: files and folders, and the settings of captions.
Out: sessions of the history, exported files, and the dialog that shows how far it is.
Callers: window and application. What hears is `earshot caption` in a process of its own.
"""
