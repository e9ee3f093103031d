"""The engine process as the window knows it, and what survives a crash of it.

In: commands, audio and options.
Out: the engine's events as typed signals, and whether it still lives.
Callers: the pages that have a session: captions and assistant; and what wires or stages them.
"""
