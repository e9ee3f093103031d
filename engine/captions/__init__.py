"""Live captions: a session that is given audio and gives captions, and several of them side by side.

In: chunks of audio, a recognizer, what captions are translated with.
Out: captions and translations, word by word, and what hearing them cost.
Callers: engine.process, the terminal and benches.
"""
