"""Pictures of every view of the window, with made-up content: `python -m lab.screenshots FOLDER`.

In: a folder, a look and a language.
Out: one picture a view.
Callers: a person, and the tests.
"""
