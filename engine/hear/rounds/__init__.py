"""The rounds of hearing: what is heard again and again in a stream, and when words are certain.

In: chunks of audio, a recognizer, options.
Out: committed and pending words as numbered entries.
Callers: engine.captions; its sentences by translate, its keys of words by metrics.
"""
