"""What can be done and reckoned without a model: requests are recognised by their wording, and answered in code.

In: the text of a question so far, and what was asked and answered before.
Out: the tool that is asked for with its arguments, and the words in which its outcome is told.
Callers: engine.assistant, after it has looked for danger and before it asks a model.
"""
