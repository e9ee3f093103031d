"""Danger in a question, recognised by rules and answered with fixed words, before any model.

In: the text of a question so far, and the region whose telephone numbers are wanted.
Out: an answer that names whom to call, or none.
Callers: engine.assistant, which asks before it speculates and before it answers.
"""
