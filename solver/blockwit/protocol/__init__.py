"""The stdio protocol: parser, writer, session. Pure text in, text out; no game is known by name."""
