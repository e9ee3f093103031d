"""The tuning panel: the important controls, with measurements of their effect on captions.

In: preferences, and measured figures.
Out: changed preferences, charts, comparisons of two settings.
Callers: application and screenshots; the command `compare`.
"""
