"""Notes of a transcript: summary, decisions, tasks, open questions and topics, each with the lines that it rests on.

In: the lines of a transcript, and a template that names the sections.
Out: notes, whose every line is supported by the transcript.
Callers: engine.process, and the command line; benches.
"""
