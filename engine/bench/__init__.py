"""The tables of the papers and our own, re-run by `earshot bench`."""
