"""The tokens of Speech-LLaMA that are no text, and the mark of what is not to be predicted."""

END, BEGIN = 0, 1
BEGINS = 2  # so many times a text begins with BEGIN, as Whisper's do with two tokens
IGNORE = -100
