"""A kept transcript on the screen: its lines, its header, its sound, and the editor of a line.

In: the lines of a session, the terms of a search.
Out: a view of them, and what a person does with a line.
Callers: app.history and screenshots.
"""
