"""Loading of models: find, check, load, and set up for this machine.

In: names or folders of models.
Out: recognizers, and the library of models on this machine.
Callers: engine.process, the app's pages of models, the command line.
"""
