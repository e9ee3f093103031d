"""Lessons of the starter assistant: dialogues, ways to ask, what to judge.

In: assets/dialogues and open data sets.
Out: conversations as turns.
Callers: the recipe of the starter language models; benches for their questions.
"""
