"""Appearance and language of Earshot: colours, icons, style sheet, languages, numbers, the width of text.

In: the user's choice of look and language.
Out: a theme, and words and numbers in the window's language.
Callers: everything that shows something; the terminal only for the width of text.
"""
