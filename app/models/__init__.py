"""The models of this machine as a person sees them: list, download, import, choice."""
