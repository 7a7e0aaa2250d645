"""Print the shell block of README.md that stands below the marker `<!-- command: NAME -->`.

What is tested is what the README says: the commands are written down there and nowhere else.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def readme_command(name: str, text: str) -> str:
    """The lines of the block; raises SystemExit if there is none, or more than one."""
    blocks = re.findall(rf"^<!-- command: {re.escape(name)} -->\n```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        raise SystemExit(f"{len(blocks)} blocks for the command {name!r} in README.md, expected one")
    return str(blocks[0])


if __name__ == "__main__":
    print(readme_command(sys.argv[1], README.read_text(encoding="utf-8")), end="")
