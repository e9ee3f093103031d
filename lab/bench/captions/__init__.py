"""Live captions measured: word errors, the delay of words, what rounds cost; and the clips that all benches hear.

In: recordings and synthetic voices with their text and times.
Out: rows, tables and pictures of every method.
Callers: the other benches and their commands.
"""
