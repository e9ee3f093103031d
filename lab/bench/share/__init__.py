"""The page for others to read: how soon it is read, and what its readers cost."""
