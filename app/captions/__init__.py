"""Live captions: the session of the window, and the page that starts, shows and ends it.

In: an audio source, preferences, the engine's captions and translations.
Out: the transcript as it grows, the state of the session, its figures.
Callers: the window and all that works beside it: assistant, silence, tuning, desktop, application.
"""
