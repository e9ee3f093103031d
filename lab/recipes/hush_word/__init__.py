"""A hush word for a Whisper: a short sound that tells it that speech has ended.

In: a Whisper, transcripts of recordings.
Out: a file with the hush word, and what it costs.
Callers: `earshot train hush-word`.
"""
