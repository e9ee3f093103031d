"""Speech-LLaMA: an audio encoder whose states a LLaMA reads before it writes.

In: a model folder, samples.
Out: a loaded model, words with times.
Callers: engine.loading; recipes and benches.
"""
