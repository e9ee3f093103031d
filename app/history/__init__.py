"""What was said before: export now, the store later."""
