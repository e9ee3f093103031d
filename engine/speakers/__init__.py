"""Speaker diarization: the turns of a recording, and the speakers of its captions.

In: audio samples, captions with word times.
Out: turns of numbered speakers; captions that each have one speaker.
Callers: `captions` live, `process` and the command line for recordings, benches.
"""
