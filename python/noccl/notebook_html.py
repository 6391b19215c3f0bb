# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks: pieces of text, tables and SVG that need no other file.

What comes from callers and specs goes in by `text`, which escapes it. Ink is `currentColor`, so
that a piece is dark on the light page of any notebook and light on a dark one; colours of
algorithms come as variables with a value for each.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NewType

from noccl.colours import DARK_HUES, HUES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Fragment = NewType("Fragment", str)
"""Markup whose texts are escaped."""
_MANY = 1000.0
_RULES = """
.noccl { font-size: 13px; max-width: 100%; overflow-x: auto; }
.noccl svg text { font: 12px sans-serif; fill: currentColor; }
.noccl svg { max-width: none; }
.noccl table { border-collapse: collapse; margin: 6px 0; }
.noccl th, .noccl td { padding: 2px 8px; text-align: right; white-space: nowrap; border: 0; }
.noccl th { opacity: 0.75; } .noccl td.word, .noccl th.word { text-align: left; }
.noccl figure { display: inline-block; vertical-align: top; margin: 4px 22px 4px 0; }
.noccl figcaption { opacity: 0.75; font-size: 12px; }
"""
# Attributes by which pages say whether they are dark or light: JupyterLab, the site of the
# documentation, VS Code.
_DARK_PAGES = (
    ("data-jp-theme-light", "false"),
    ("data-md-color-scheme", "slate"),
    ("data-vscode-theme-kind", "vscode-dark"),
)
_LIGHT_PAGES = (
    ("data-jp-theme-light", "true"),
    ("data-md-color-scheme", "default"),
    ("data-vscode-theme-kind", "vscode-light"),
)


def text(value: object) -> Fragment:
    """A value as text of a page; control characters are shown as what they are.

    >>> text("<b>")
    '&lt;b&gt;'
    """
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))
    return Fragment(html.escape(shown))


def number_text(value: float) -> str:
    """A measured number with about four digits, never with an exponent of ten.

    >>> number_text(0.071), number_text(185_900.4), number_text(1.4)
    ('0.071', '185,900', '1.4')
    """
    return f"{value:,.0f}" if abs(value) >= _MANY else f"{value:.4g}"


def colour(shade: str) -> str:
    """A colour of `noccl.colours`, on dark pages its counterpart, as a value of `fill`."""
    name = _NAMES.get(shade)
    return shade if name is None else f"var({name}, {shade})"


def fragment(title: str, *parts: Fragment) -> str:
    """A piece of a notebook: title and parts, with their style sheet."""
    return (
        f'<div class="noccl"><style>{_STYLE}</style>'
        f"<div><b>{text(title)}</b></div>{''.join(parts)}</div>"
    )


def facts_table(facts: Mapping[str, str]) -> Fragment:
    """A line per fact."""
    rows = "".join(
        f'<tr><th class="word">{text(name)}</th><td class="word">{text(value)}</td></tr>'
        for name, value in facts.items()
    )
    return Fragment(f'<table class="noccl-table">{rows}</table>')


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Fragment:
    """A table with a head; words stand left, numbers right."""
    cells = [[_cell(value) for value in row] for row in rows]
    is_word = [cell.startswith(_WORD) for cell in cells[0]] if cells else [False] * len(columns)
    head = "".join(
        f"<th{' class=word' * word}>{text(name)}</th>"
        for name, word in zip(columns, is_word, strict=True)
    )
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return Fragment(
        f'<table class="noccl-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def figure(svg: Fragment, caption: str) -> Fragment:
    """A drawing with what it shows below."""
    return Fragment(f"<figure>{svg}<figcaption>{text(caption)}</figcaption></figure>")


def drawing(width: float, height: float, label: str, marks: Iterable[str]) -> Fragment:
    """An SVG of marks, whose texts are escaped."""
    return Fragment(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{text(label)}">'
        f"{''.join(marks)}</svg>"
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td>-</td>"
    if isinstance(value, float):
        return f"<td>{number_text(value)}</td>"
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return f"<td>{value:,}</td>" if is_number else f"{_WORD}{text(value)}</td>"


_WORD = '<td class="word">'
_NAMES = {
    shade: f"--noccl-{hue}{letter}"
    for hue, shades in enumerate(HUES)
    for letter, shade in zip("abc", shades, strict=True)
}


def _variables(hues: Sequence[tuple[str, ...]]) -> str:
    shades = (shade for row in hues for shade in row)
    return " ".join(f"{name}: {s};" for name, s in zip(_NAMES.values(), shades, strict=True))


def _inside(pages: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f'[{attribute}="{value}"] .noccl' for attribute, value in pages)


def _style() -> str:
    dark, light = _variables(DARK_HUES), _variables(HUES)
    return (
        f"{_RULES}@media (prefers-color-scheme: dark) {{ .noccl {{ {dark} }} }}\n"
        f"{_inside(_DARK_PAGES)} {{ {dark} }}\n{_inside(_LIGHT_PAGES)} {{ {light} }}\n"
    )


_STYLE = _style()
