"""Parts that every training shares: options, steps, checkpoints, means of models.

In: a loss, a model, a clock.
Out: a run that can be resumed.
Callers: the recipes.
"""
