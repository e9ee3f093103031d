"""Speech recognition: models, their input, their decoding, and the rounds of a stream.

In: samples of one round, or of a whole file.
Out: words with times and probabilities.
Callers: captions, assistant, loading and benches.
"""
