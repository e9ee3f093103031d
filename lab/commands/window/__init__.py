"""Figures of the window: how soon it is there, whether it stalls, what it costs.

In: the whole app, in processes of its own.
Out: figures.
Callers: `earshot bench window` alone.
"""
