"""The conversation with the assistant: what is said, how it is heard and played, and its page.

In: the microphone's sound, questions that are typed, the engine's events of a conversation.
Out: audio and commands to the engine, exchanges on the page, speech to the loudspeaker.
Callers: application, desktop, tuning and screenshots.
"""
