"""Multi-token prediction measured: word errors and decoder calls per word.

In: recordings, models with heads.
Out: rows, tables and pictures of every way of decoding.
Callers: `earshot bench multitoken`.
"""
