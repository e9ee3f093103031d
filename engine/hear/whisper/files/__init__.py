"""File formats of Whisper models: the layout of a folder, its configuration, and the storage of its numbers.

In: a folder, or one of its files.
Out: configurations, and arrays by the names of our model.
Callers: engine.hear.whisper, and modules that need the facts of published Whispers.
"""
