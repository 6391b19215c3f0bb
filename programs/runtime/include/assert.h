// SPDX-License-Identifier: Apache-2.0
// A condition that a program relies on: if it is false, its location and text go to standard error and the program aborts.
#undef assert

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
_Noreturn void __noccl_assert(const char *condition, const char *file, int line);
#define assert(condition) ((condition) ? (void)0 : __noccl_assert(#condition, __FILE__, __LINE__))
#endif

#undef static_assert
#define static_assert _Static_assert
