"""Speech synthesis: voices that can be paused, sentences synthesized ahead, sentences joined.

In: sentences and the choice of a voice.
Out: chunks of samples.
Callers: engine.assistant, engine.process and the command line.
"""
