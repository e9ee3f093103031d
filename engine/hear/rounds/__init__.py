"""Rounds of recognition in a stream, and the commitment of words.

In: chunks of audio, a recognizer, options.
Out: committed and pending words as numbered entries.
Callers: engine.captions; its sentences by translate, its keys of words by metrics.
"""
