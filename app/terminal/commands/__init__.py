"""The commands of the command line, one a module: NAME, add_to(commands), run(options) -> exit code.

In: arguments as they were typed.
Out: options for a run, its exit code, one line for each problem.
Callers: app.terminal.cli; here alone benches and recipes are imported, when they are asked for.
"""
