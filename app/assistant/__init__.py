"""The conversation with the assistant: its questions, its answers, its sound and its page.

In: the microphone's sound, typed questions, the engine's events of a conversation.
Out: audio and commands to the engine, exchanges on the page, speech to the loudspeaker.
Callers: application, desktop, tuning and screenshots.
"""
