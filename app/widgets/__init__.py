"""Shared parts of pages: buttons, messages, meters, rows of settings, boxes of devices.

In: an action, a preference or a level to show.
Out: a widget that shows it and reports what the user did with it.
Callers: every room that has a page or a dialog.
"""
