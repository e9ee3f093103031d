"""`earshot bench` and `earshot train`, with what only they measure of the app itself.

In: which bench or recipe, on what, how long.
Out: tables and figures in the terminal, as JSON or as pictures; models.
Callers: the command line alone, which imports them by name where there is a lab.
"""
