"""Notes in the window: made by the engine, shown beside a transcript, changed by hand.

In: the lines of a transcript.
Out: notes, and the lines that a person wants to see.
Callers: app.history, app.captions.
"""
