"""The engine as a child process: commands in, events out, one thread that computes.

In: commands over a pipe.
Out: events over the same pipe, and a heartbeat.
Callers: app.engine_link; loading and profiling by the command line too.
"""
