"""The parts of the main window, one widget a file."""
