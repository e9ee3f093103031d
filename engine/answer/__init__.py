"""Answers to what the user says, guessed while it is still being said.

In: a question as it grows, the conversation so far, a language model.
Out: guesses, whole replies, and what of a guess holds.
Callers: engine.assistant; recipes and benches.
"""
