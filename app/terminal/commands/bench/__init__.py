"""`earshot bench`: its commands, and what is measured of the app itself.

In: which bench, on what, how long.
Out: tables and figures in the terminal, as JSON or as pictures.
Callers: the command line alone.
"""
