"""The assistant measured: how soon it answers, how right, how much it computes ahead for nothing.

In: conversations, written or spoken.
Out: rows, tables and pictures of every way of answering.
Callers: `earshot bench assistant`, `conversation` and `dialogues`.
"""
