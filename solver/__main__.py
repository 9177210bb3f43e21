"""`python -m solver` is the stdio engine."""

import sys

from solver.protocol import stdio

if __name__ == "__main__":
    stdio.run(sys.stdin.buffer, sys.stdout.buffer)
