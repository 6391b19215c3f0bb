# SPDX-License-Identifier: Apache-2.0
"""What all results have in common: a short text, a part of a notebook, a row of a frame.

A result holds arrays, schedules and reports of thousands of characters. Whoever prints one wants to
know what ran, how long it took and whether it is right; all else is in the attributes. Notebooks
get the same facts with pictures, frames get the same numbers as columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.extras import extra
from noccl.notebook_html import Fragment, facts_table, fragment

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import polars as pl
    import pyarrow as pa

_MOST_LINES = 10
_MOST_LETTERS = 100
_PJ_PER_NJ = 1000.0
_US_PER_NS = 1000.0


class Result:
    """A result of the simulator: `print` shows what matters, notebooks draw it, frames tabulate it.

    Results that hold the same columns make rows of one table:
    `polars.concat([result.to_polars() for result in results])`.
    """

    __slots__ = ()

    def _title(self) -> str:
        """What ran, in a line."""
        raise NotImplementedError

    def _facts(self) -> Mapping[str, str]:
        """Names and values of the other lines, what matters first."""
        raise NotImplementedError

    def _row(self) -> Mapping[str, Any]:
        """Columns of the result's row in a frame."""
        raise NotImplementedError

    def _pictures(self) -> list[Fragment]:
        """Drawings for notebooks, between facts and table."""
        return []

    def _arrow_table(self) -> pa.Table:
        """The rows of the result as Arrow data; one row unless a subclass has more."""
        with extra("frames"):
            import pyarrow as pa
        return pa.Table.from_pylist([dict(self._row())])

    def __repr__(self) -> str:
        facts = list(self._facts().items())[: _MOST_LINES - 1]
        width = max((len(name) for name, _ in facts), default=0)
        lines = [f"{type(self).__name__}: {self._title()}"]
        lines += [f"  {name:<{width}}  {value}" for name, value in facts]
        return "\n".join(map(_short, lines))

    def _repr_html_(self) -> str:
        """The result in a notebook: facts and drawings, one piece of HTML that needs nothing."""
        title = f"{type(self).__name__}: {self._title()}"
        return fragment(title, facts_table(self._facts()), *self._pictures())

    def to_polars(self) -> pl.DataFrame:
        """The numbers as a Polars frame.

        Raises:
            MissingExtraError: The extra `noccl[frames]` is not installed.
        """
        with extra("frames"):
            import polars as pl
        frame = pl.from_arrow(self._arrow_table())
        assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table never becomes a series
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """The numbers as a pandas frame, converted from Arrow data, so that types are the same.

        Raises:
            MissingExtraError: The extra `noccl[pandas]` is not installed.
        """
        with extra("pandas"):
            import pandas as pd
            import pyarrow  # noqa: F401 - the error names the extra
        frame = self._arrow_table().to_pandas()
        assert isinstance(frame, pd.DataFrame)  # noqa: S101 - a table never becomes a series
        return frame


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "action"), counted(1200, "action")
    ('1 action', '1,200 actions')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def time_text(time_ns: float) -> str:
    """A time with its unit.

    >>> time_text(84.0), time_text(12_500.0)
    ('84 ns', '12.5 µs')
    """
    if time_ns < _US_PER_NS:
        return f"{time_ns:.4g} ns"
    return f"{time_ns / _US_PER_NS:.4g} µs"


def energy_text(energy_pj: float | None) -> str:
    """An energy with its unit.

    >>> energy_text(522342.39)
    '522.3 nJ'
    """
    if energy_pj is None:
        return "not modelled"
    return f"{energy_pj / _PJ_PER_NJ:,.1f} nJ"


def verified_text(verified: str) -> str:
    """Words of `Verified`.

    >>> verified_text("not_checked")
    'not checked'
    """
    return str(verified).replace("_", " ")


def _short(line: str) -> str:
    return line if len(line) <= _MOST_LETTERS else f"{line[: _MOST_LETTERS - 1]}…"
