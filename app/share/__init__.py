"""Captions for others to read: a page in the local network, and live files for other programs.

In: the transcript as it grows.
Out: a web page at an address that nobody can guess, and files in a folder of the user's.
Callers: the application and the window, which show it.
"""
