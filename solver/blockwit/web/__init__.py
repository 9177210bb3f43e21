"""The web page to play on: a Starlette app for one person's own browser, and the files that it serves.

The state of the page is a position string and a list of moves; everything that a rule decides is asked of the compiled
games (`views`), and every search runs in an engine process of the session's own (`session`).
"""
