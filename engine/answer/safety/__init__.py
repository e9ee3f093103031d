"""Danger in what is asked, recognised by rules and answered in fixed words, before any model.

In: the text of a question so far, and the region whose telephone numbers are wanted.
Out: an answer that says whom to call, or none.
Callers: engine.assistant, which asks before it speculates and before it answers.
"""
