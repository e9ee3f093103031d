"""The commands of the command line, one per module: NAME, add_to(commands), run(options) -> exit code.

In: arguments as typed.
Out: options for a run, its exit code, one line for each problem.
Callers: app.terminal.cli; only here benches and recipes are imported, on request.
"""
