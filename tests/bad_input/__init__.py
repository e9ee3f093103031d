"""A campaign of damaged files: whatever Earshot reads, spoilt in thousands of ways, must end in one clear line.

`uv run python -m tests.bad_input --inputs 5000 --seed 1` runs it.
"""
