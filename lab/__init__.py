"""Benches that measure Earshot, recipes that train its models, and pictures of its window; in a clone only."""
