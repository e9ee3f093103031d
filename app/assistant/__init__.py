"""The conversation with the assistant: what is said, how it is heard and played, and its page in the window."""
