# SPDX-License-Identifier: Apache-2.0
"""Values of all kinds that callers pass by mistake."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import noccl

HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([-1, 2**31, 2**32, 2**63, 2**64 - 1, 2**64, 10**5000]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["²x²", "\udc80", "\0", "all", "row:0", "0,0", "mem:0", "9" * 5000, "1x1"]),
    st.binary(max_size=8),
    st.lists(st.one_of(st.integers(), st.text(max_size=4), st.none()), max_size=4),
    st.tuples(st.integers(), st.integers()),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
    st.sampled_from(
        [
            object(),
            int,
            len,
            np.int64(3),
            np.uint8(200),
            np.float32(0.5),
            np.bool_(False),
            np.array(5),
            np.array([1, 2]),
            np.array(["x"]),
            np.array([], dtype=object),
            np.datetime64("2020-01-01"),
            noccl.Cluster(0, 0),
            noccl.Cluster(-1, 99999),
            noccl.Cluster("x", None),  # type: ignore[arg-type]
            noccl.Row(None),  # type: ignore[arg-type]
            noccl.Members(5),  # type: ignore[arg-type]
            noccl.Definition(None, -1, 5),  # type: ignore[arg-type]
            noccl.Memory(2**70),
            noccl.Place(noccl.Memory(0), -1),
            noccl.Schedule(5),  # type: ignore[arg-type]
            noccl.Schedule("[" * 10000),
            noccl.Schedule('{"algorithm": 1}'),
        ]
    ),
)
"""Values of all kinds that callers pass by mistake."""
