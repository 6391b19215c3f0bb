// SPDX-License-Identifier: Apache-2.0
// Integer types by their width: the compiler's own, without a library behind it.

#pragma once

#include <stdint-gcc.h>
