"""Endurance of the whole app: hours at a stretch, and faults in random order.

In: recordings of people, and what is to go wrong.
Out: what was lost, doubled, leaked or late.
Callers: `earshot bench soak` and `earshot bench chaos` alone.
"""
