"""The command line."""


def start() -> None:
    """Be the command `blockwit`: until it can end in its own way, a signal ends it at once.

    An import may swallow KeyboardInterrupt, and whoever presses Ctrl-C so early has nothing to lose.
    """
    import _signal  # type: ignore[import-not-found]  # has no stub

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

    from blockwit.cli.main import main

    main()
