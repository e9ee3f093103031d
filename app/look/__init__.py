"""How Earshot looks and speaks: colours, icons, style sheet, languages, numbers, the width of text.

In: the person's choice of look and language.
Out: a theme, and words and numbers in the window's language.
Callers: everything that shows something; the terminal for the width of text alone.
"""
