"""Captions on the screen."""
