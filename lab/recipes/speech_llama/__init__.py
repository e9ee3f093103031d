"""Speech-LLaMA on the frozen ear of a Whisper: trained, grafted, exported, and taught by word errors.

In: a Whisper, its transcripts of recordings.
Out: a model folder with heads.
Callers: `earshot train speech-llama`.
"""
