"""The commands of the command line, one a module: NAME, add_to(commands), run(options) -> exit code.

They are imported to print help, so they import engine and window only when they run.
"""
