"""Microphones, loudspeakers and recordings, by way of PortAudio and the system's sound server.

In: the choice of a device or a file; speech to be played.
Out: chunks of samples at 16 kHz, notes of what happens to a source, sound.
Callers: whatever hears or plays: pages, terminal, engine_link.
"""
