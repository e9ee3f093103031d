"""The first run: what Earshot is, whether it hears, and with which model.

In: preferences, and what the library of models offers.
Out: a first choice of model, language and microphone.
Callers: the window's dialogs alone.
"""
