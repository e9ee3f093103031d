"""Everything a person sees or types: the command line and the window."""
