"""`python -m controller.cli`: the same as `wallwright`."""

import sys

from controller.cli import main

sys.exit(main())
