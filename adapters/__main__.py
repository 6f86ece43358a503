"""`python -m adapters` is `paperclub`."""

import sys

from adapters.cli import main

sys.exit(main())
