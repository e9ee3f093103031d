"""Training recipes; each runs as `earshot train NAME`.

In: recordings, texts, models.
Out: model folders, drafts, hush words, with what they measure.
Callers: lab.commands alone, when a recipe is asked for; benches for their data.
"""
