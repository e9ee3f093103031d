"""The assistant's tools in the window: captions, translation, text, subtitles, timers, and how each is undone.

In: calls that the engine has recognised in questions.
Out: the outcome of each, for the engine to put into words and for the page to show and undo.
Callers: application, which connects them with the conversation.
"""
