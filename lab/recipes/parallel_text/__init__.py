"""Aligned text of Debian's packages, cleaned, for the translator to learn from.

In: packages that `apt-get` downloads, unpacked in memory and never installed.
Out: files of pairs, and a card with counts and licences.
Callers: `earshot train parallel-text`; `lab/recipes/sentences/gathered.py` names its files.
"""
