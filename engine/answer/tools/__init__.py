"""Tools without a model: requests are recognised by their wording, and answered in code.

In: the text of a question so far, and the turns before.
Out: the requested tool with its arguments, and the words for its outcome.
Callers: engine.assistant, after it has looked for danger and before it asks a model.
"""
