"""The files of Whispers, whoever wrote them: which layout a folder has, what its config says, how numbers are stored.

In: a folder, or a file of one.
Out: configs, and arrays by the names that the model knows them by.
Callers: engine.hear.whisper, and whoever asks what a published Whisper is like.
"""
