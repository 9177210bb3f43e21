"""`python -m blockwit` is the stdio engine."""

if __name__ == "__main__":
    # Until the engine listens to it, the signal ends the process at once: an import may swallow KeyboardInterrupt, that
    # of `signal` as well. What it is made of is there before the first line of any program.
    import _signal  # type: ignore[import-not-found]  # has no stub

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

    from blockwit.cli import ending
    from blockwit.protocol import stdio

    ending.leave(stdio.serve)
