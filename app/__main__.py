"""`python -m app` is `earshot`; it is also what a packaged build starts."""

import multiprocessing
import sys

from app.terminal.cli import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # in a packaged build the engine's process starts here too
    sys.exit(main())
