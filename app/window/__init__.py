"""The main window: its pages, its rail, and its dialogs.

In: the pages, the actions, the theme.
Out: one visible page, and each dialog when it is first requested.
Callers: application and screenshots.
"""
