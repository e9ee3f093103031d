"""Notes of meetings, measured against the right ones."""
