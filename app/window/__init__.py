"""The main window: its pages side by side, the way between them, and its dialogs.

In: the pages, the actions, the theme.
Out: one page in sight, and each dialog when it is first asked for.
Callers: application and screenshots.
"""
