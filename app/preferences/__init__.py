"""What a person has chosen, kept from one run to the next.

In: a file, changes of single values, what this machine offers.
Out: preferences, frozen and whole, and word of each change.
Callers: every room but those that carry sound or messages.
"""
