"""Models made ready: found, checked, loaded, and set up as this machine runs them best.

In: names or folders of models.
Out: recognizers and the library of what is here.
Callers: engine.process, the app's pages of models, the command line.
"""
