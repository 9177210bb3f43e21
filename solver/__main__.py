"""`python -m solver` is the stdio engine."""

from solver.protocol import stdio

if __name__ == "__main__":
    stdio.serve()
