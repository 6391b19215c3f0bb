# SPDX-License-Identifier: Apache-2.0
"""How far colours are apart for readers without one kind of cones, and from their page.

Source: Machado, Oliveira, Fernandes, A physiologically-based model for simulation of color vision
deficiency (2009), matrices of severity 1.0 on linear RGB; CIE 1976 L*a*b* distances; contrast as
WCAG 2 defines it.
"""

from __future__ import annotations

import numpy as np

VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
_WHITE = np.array([0.95047, 1.0, 1.08883])
_EPSILON, _KAPPA = 216 / 24389, 24389 / 27


def linear(colour: str) -> np.ndarray:
    """Linear RGB of `#rrggbb`."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str) -> np.ndarray:
    """L*, a*, b* of a colour as a reader with this vision sees it."""
    xyz = _XYZ @ np.clip(VISIONS[vision] @ linear(colour), 0, 1) / _WHITE
    x, y, z = np.where(xyz > _EPSILON, np.cbrt(xyz), (_KAPPA * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: str, other: str, vision: str) -> float:
    """Distance of two colours; 2.3 is just noticeable side by side."""
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def contrast(one: str, other: str) -> float:
    """Contrast of two colours: 1 to 21."""
    low, high = sorted(float(_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)
