"""python -m tracecoach: the program."""

from ._cli import main

main()
