"""Keys that work while other programs are in front: one way for each kind of desktop."""
