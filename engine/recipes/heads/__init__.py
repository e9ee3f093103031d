"""Heads that look ahead for a model that stays as it is.

In: a model that hears, recordings.
Out: a file of heads.
Callers: `earshot train heads`.
"""
