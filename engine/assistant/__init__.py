"""A spoken conversation: whose turn it is, what was asked, what is answered and said.

In: chunks of the microphone, typed questions, what was played.
Out: turns, replies and their speech as events.
Callers: engine.process and the command line.
"""
