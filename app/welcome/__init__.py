"""The first run: an introduction, a microphone test, and the choice of a model.

In: preferences, and the models that the library offers.
Out: a first choice of model, language and microphone.
Callers: the window's dialogs alone.
"""
