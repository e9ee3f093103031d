"""The models of this machine as a person sees them: list, download, import, choice.

In: the library of models and the progress of downloads.
Out: models that came or went, and preferences that choose them.
Callers: application, the window's dialogs and the first run.
"""
