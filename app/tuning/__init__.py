"""The controls that matter, with what each of them does to the captions measured beside it.

In: preferences, and figures as they are measured.
Out: changed preferences, charts, comparisons of two ways to hear.
Callers: application and screenshots; the bench of a clip for the comparison.
"""
