"""Pages for the models on this machine: list, download, import, choice.

In: the library of models and the progress of downloads.
Out: added and removed models, and preferences that select them.
Callers: application, the window's dialogs and the first run.
"""
