"""A spoken conversation: turn taking, questions, replies and their speech.

In: chunks of the microphone, typed questions, how much was played.
Out: turns, replies and their speech as events.
Callers: engine.process and the command line.
"""
