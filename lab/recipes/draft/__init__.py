"""A draft network for the encoder of a model that stays as it is.

In: a model's transcripts of recordings.
Out: a file of a draft network.
Callers: `earshot train draft`.
"""
