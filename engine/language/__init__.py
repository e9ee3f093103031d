"""Language models: loaded, asked with a chat prompt, and decoded with drafts.

In: a model folder, messages, tokens offered as draft.
Out: logits, caches that can be cut back, verified tokens.
Callers: translate, answer, loading and process; hear for its drafts and its layers.
"""
