"""The user's words and names measured: how many of those that are said are written, and what that costs.

In: recordings of people, texts whose commonest words count as common.
Out: rows of figures, one for each way of knowing words.
Callers: lab.commands.vocabulary.
"""
