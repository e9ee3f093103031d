"""Answers to the user's questions, guessed while the user is still speaking.

In: a question as it grows, the conversation so far, a language model.
Out: guesses, complete replies, and the part of a guess that still holds.
Callers: engine.assistant; recipes and benches.
"""
