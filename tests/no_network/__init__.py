"""The network forbidden: every command works without it."""
