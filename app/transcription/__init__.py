"""Transcription of recordings one after the other, as fast as this machine can.

In: files and folders, and the settings of captions.
Out: sessions of the history, exported files, and a dialog with the progress.
Callers: window and application. An engine process of its own recognizes the speech.
"""
