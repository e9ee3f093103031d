"""Training recipes; each runs as `earshot train NAME`."""
