"""The page of live captions: what is listened to, the transcript as it grows, its translation, start and stop.

In: a session of captions, sources, preferences.
Out: what a person asks of the session.
Callers: app.window, application and screenshots.
"""
