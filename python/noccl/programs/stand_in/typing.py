# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.typing`: names of annotations, each of which takes everything."""

from __future__ import annotations

from typing import Any

SupportsBuffer = SupportsDLPack = SupportsCAI = Buffer = Bottom = InPlace = Any
Aint = Count = Displ = Offset = TypeSpec = Any
BufSpec = BufSpecB = BufSpecV = BufSpecW = TargetSpec = Any
