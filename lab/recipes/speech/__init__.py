"""Speech that recipes and benches hear: recordings, synthetic voices, and what a Whisper writes of them.

In: manifests of recordings, text to be said.
Out: samples with words and times, features, transcripts.
Callers: the recipes of models that hear, and benches.
"""
