"""What the assistant does in the window: captions, translation, text, subtitles, timers, and how each is undone.

In: calls that the engine has recognised in what a person asked.
Out: what came of each, for the engine to tell, and for the page to show and to undo.
Callers: application, which brings them together with the conversation.
"""
