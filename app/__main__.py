"""`python -m app` is `earshot`."""

import sys

from app.cli import main

sys.exit(main())
