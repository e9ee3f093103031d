"""The first run: what Earshot is, whether it hears, and with which model."""
