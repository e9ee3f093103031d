"""Live translation measured: flicker, lag, quality, and what drafts were worth.

In: growing texts with references.
Out: rows, tables and pictures of every way of translating.
Callers: `earshot bench translation`, and the assistant's bench for texts as they are heard.
"""
