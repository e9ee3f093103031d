"""Sentences to speech: voices that can be paused, speech made ahead, sentences joined.

In: sentences and the choice of a voice.
Out: chunks of samples.
Callers: engine.assistant, engine.process and the command line.
"""
