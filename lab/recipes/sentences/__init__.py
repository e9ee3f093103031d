"""The sentences that starters learn from, and those that they never see.

In: files of translated sentences.
Out: texts and pairs, held out or to be learnt.
Callers: the recipes of language and assistant; benches for what was held out.
"""
