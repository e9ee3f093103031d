"""Language models: loaded, prompted by a chat template, and decoded with drafts; or asked of a server.

In: a model folder, messages, tokens offered as draft.
Out: logits, caches that can be trimmed, verified tokens.
Callers: translate, answer, loading and process; hear for its drafts and its layers.
"""
