# SPDX-License-Identifier: Apache-2.0
"""Studies with random changes: read, or refused in words."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import noccl
from noccl.sweeps.study import read_study
from tests.case_numbers import cases
from tests.sweep_studies import STUDY

CASES = cases(300, 20_000)
STUDY_TEXT = STUDY.replace("collective_noc_4x4", "collective_noc_2x2") + (
    'roots = ["0,0"]\noperators = ["sum", "max"]\nelements = ["fp64"]\nseed = 3\n'
    '[product.overrides]\n"router.input_fifo_flits" = [2, 4]\n'
)
PIECES = ("", "0", "-1", "1e999", "99999999999999999999", '"', "[", "]]", "{", "\n", "é", "\0", "=")


def changed(text: str, numbers: random.Random) -> str:
    """The text with one to four places removed, doubled or replaced."""
    for _ in range(numbers.randint(1, 4)):
        start = numbers.randrange(len(text) + 1)
        end = min(len(text), start + numbers.choice((0, 1, 1, 3, 12)))
        piece = numbers.choice((*PIECES, text[start:end] * 2))
        text = text[:start] + piece + text[end:]
    return text


# A size with a decimal unit is read, with a note.
@pytest.mark.filterwarnings("ignore:.* is read as:UserWarning")
def test_mutated_studies_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    refusals = []
    for seed in range(CASES):
        path.write_text(changed(STUDY_TEXT, random.Random(seed)), "utf-8")
        try:
            read_study(path)
        except noccl.NocclError as error:
            refusals.append(str(error))
    assert all(text.strip() for text in refusals)
    assert 0 < len(refusals) < CASES
