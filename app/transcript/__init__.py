"""The transcript on the screen: captions with their translations as text that grows and can be searched.

In: captions and translations in the order in which they began.
Out: a list model, a view of it, marks and search results in its text.
Callers: captions, history and overlay.
"""
