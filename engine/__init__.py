"""Everything that computes: speech in, captions, translations and answers out. Imports no Qt.

In: samples, text and options.
Out: captions, translations, replies and their speech, as frozen events.
Callers: the app, and programs without a window.
"""
