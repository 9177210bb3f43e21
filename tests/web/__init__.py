"""Tests of the web page and its server."""
