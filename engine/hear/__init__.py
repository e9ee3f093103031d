"""Speech to words: the model, its input, its decoding, and the streaming rounds."""
