# SPDX-License-Identifier: Apache-2.0
"""What the hardware's tests share: builds and runs of a bench, handshakes, pauses."""
