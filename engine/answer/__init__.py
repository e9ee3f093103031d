"""Answers to what the user says, guessed while it is still being said."""
