"""Transcripts as files: SRT, VTT, TXT, JSON and Markdown, in one language or two.

In: captions and translations, or a session of the history.
Out: files that appear complete or not at all.
Callers: history, captions and the terminal.
"""
