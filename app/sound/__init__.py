"""Microphones, loudspeakers and recordings, through PortAudio and the system's sound server.

In: the choice of a device or a file; speech to play.
Out: chunks of samples at 16 kHz, notes about the source, sound.
Callers: everything that records or plays: pages, terminal, engine_link.
"""
