"""Which models there are, where they are, and how they are loaded."""
