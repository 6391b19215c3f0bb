# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings as code of the Python API page.

Docstrings have their examples where they belong in the text, as lines of an interactive session
that the tests execute. Markdown would read `>>>` as three nested quotations.
"""

from __future__ import annotations

import griffe

_PROMPTS = (">>>", "...")


def fenced(docstring: str) -> str:
    r"""The docstring with each interactive session in a fence.

    >>> print(fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.").replace("`", "'"))
    Adds.
    <BLANKLINE>
    '''pycon
    >>> 1 + 1
    2
    '''
    <BLANKLINE>
    More.
    """
    lines: list[str] = []
    is_inside = False
    for line in docstring.splitlines():
        if not is_inside and line.startswith(_PROMPTS[0]):
            lines.append("```pycon")
            is_inside = True
        elif is_inside and not line.strip():
            lines.append("```")
            is_inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if is_inside else lines)


class Doctests(griffe.Extension):
    """Applies `fenced` to every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Called once per module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
