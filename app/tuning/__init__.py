"""The controls that matter, with what each of them does to the captions measured beside it."""
