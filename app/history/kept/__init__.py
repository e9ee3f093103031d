"""The files of the history: tables, rows, indexes of lines, and the sound of captions.

In: sessions, captions and chunks to be kept; a folder.
Out: a database's schema and rows, files of sound; erasure of both.
Callers: app.history alone, and benches that fill a history.
"""
