"""`python -m solver` is the stdio engine."""

import signal

if __name__ == "__main__":
    # Until the engine listens to it, the signal ends the process at once: an import might swallow KeyboardInterrupt.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    from solver.protocol import stdio

    stdio.serve()
