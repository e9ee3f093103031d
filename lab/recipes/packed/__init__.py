"""Trainings for a GPU that is lent for minutes, where nothing but torch and numpy is there and nothing is downloaded.

In: one folder that was packed before.
Out: a checkpoint, a model in the form that Earshot loads, and a line that says what was learnt.
Callers: `earshot train`, and `python -m lab.recipes.packed.NAME` where Earshot is not installed.
"""
