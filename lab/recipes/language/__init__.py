"""The starter language models: one on translated sentences, one on dialogues.

In: sentences and conversations.
Out: a model folder, and how much it knows by heart.
Callers: `earshot train starter-language`.
"""
