"""Everything that computes: speech in, captions out. Usable without a window; imports no Qt."""
