"""Live captions: the session with the engine, and the page that starts, shows and ends it.

In: an audio source, preferences, the engine's captions and translations.
Out: the transcript as it grows, what the session is doing, how live it is.
Callers: the window and all that works beside it: assistant, silence, tuning, desktop, application.
"""
