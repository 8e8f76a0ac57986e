"""The program of the wheel: ``tracecoach`` and ``python -m tracecoach``."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program; it is not there in an installation that has the package alone."""
    program = Path(__file__).with_name("_native") / "tracecoach"
    if not program.exists():
        sys.exit("tracecoach: the program is not in this package: install it as README.md says")
    os.execv(program, ["tracecoach", *sys.argv[1:]])


if __name__ == "__main__":
    main()
