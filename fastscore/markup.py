"""Text from anywhere as XML and HTML, so that every parser can read it and takes it for text."""

from __future__ import annotations

import html
import re

from fastscore.sanitise import printable

__all__ = ["element", "written"]

# Two characters that are neither control characters nor allowed in XML.
_NOT_IN_XML = re.compile("[\ufffe\uffff]")


def written(text: object) -> str:
    """A text on one line as content of an element or value of an attribute in double quotes.

    Control, bidirectional and invisible characters are left out as in `fastscore.sanitise.printable`.
    """
    return html.escape(_NOT_IN_XML.sub("", printable(str(text))), quote=True)


def element(name: str, content: str | None = None, /, **attributes: object) -> str:
    """`<name a="1">content</name>`, or `<name a="1"/>` without content; the content is markup, not text.

    `_` in the name of an attribute stands for `-`, one at its end is left out (`class_`); an attribute that is None is
    not written.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{written(value)}"')
    opening = " ".join(parts)
    return f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>"
