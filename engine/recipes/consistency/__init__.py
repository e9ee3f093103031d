"""Consistency training (CLLM): blocks of replies come to stand in fewer forwards.

In: a language model and questions.
Out: the same model, taught to decode in blocks.
Callers: `earshot train consistency`.
"""
