"""Known models: descriptions, locations, downloads.

In: catalogue.toml and firefox.toml, names and repositories, a hub.
Out: descriptions of models, folders, progress of downloads.
Callers: the rooms that load models, and the app's pages of models.
"""
