# SPDX-License-Identifier: Apache-2.0
"""Whether results were compared with what they must be."""

from __future__ import annotations

from enum import StrEnum


class Verified(StrEnum):
    """Were the outputs compared with what they must be, and are they right?

    Only `YES` is true, so that `assert report.verified` fails for what nobody checked.

    >>> bool(Verified.YES), bool(Verified.NOT_CHECKED)
    (True, False)

    Attributes:
        YES: Compared, and all of them are right.
        NO: Compared, and at least one of them is wrong.
        NOT_CHECKED: Nothing was compared: no bytes moved, or nobody knows what they must be.
    """

    YES = "yes"
    NO = "no"
    NOT_CHECKED = "not_checked"

    def __bool__(self) -> bool:
        """Compared and right?"""
        return self is Verified.YES
