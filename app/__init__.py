"""Everything a person sees or types: the window and the command line.

In: what a person does, and sound from the machine's devices.
Out: captions, answers and speech, on screen, by loudspeaker and in files.
Callers: `earshot` and `python -m app`; the engine knows nothing of it.
"""
