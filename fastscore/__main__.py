"""`python -m fastscore` is the `fastscore` command."""

import sys

from fastscore.cli import main

if __name__ == "__main__":
    sys.exit(main())
