"""The rules of the games as HTML, made from the same files that docs/rules/ shows."""

from __future__ import annotations

import itertools
import re
from functools import cache

from markdown_it import MarkdownIt

from blockwit import games
from blockwit.games.facets import View


def anchor(heading: str) -> str:
    """Return the anchor of a heading, made as code hosts make it: lower case, hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@cache
def rules_html(game: str) -> str:
    """Return the rules of a game as an HTML fragment; every heading has its anchor as its id.

    Raises:
        OptionError: the game has no page of rules.
    """
    known = games.get(game)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(View.of(known).rules(known))
    for opening, inline in itertools.pairwise(tokens):
        # The alignment of table cells comes as an inline style, which the page's policy forbids.
        opening.attrs.pop("style", None)
        if opening.type == "heading_open":
            opening.attrSet("id", "rule-" + anchor(inline.content))
        # Links to other files of the repository lead nowhere from the page.
        for child in inline.children or ():
            if child.type in ("link_open", "link_close"):
                child.type, child.tag, child.nesting = "text", "", 0
                child.content = ""
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def headings(game: str) -> frozenset[str]:
    """Return the anchors of all headings of a game's rules."""
    return frozenset(re.findall(r'<h\d id="rule-([^"]*)"', rules_html(game)))
