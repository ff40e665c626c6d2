"""`python -m fofe` is the same as `fofe`."""

import sys

from fofe.cli import main

sys.exit(main())
