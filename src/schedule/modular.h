/* SPDX-License-Identifier: BSD-3-Clause */
/* modular.h - the arithmetic of cyclic ranks: remainders that are never negative, common divisors.
 */
#ifndef TT_MODULAR_H
#define TT_MODULAR_H

#include <stdint.h>

/* value modulo modulus, in [0, modulus). */
static inline int64_t tt_wrap(int64_t value, int64_t modulus)
{
	int64_t rest = value % modulus;

	return rest < 0 ? rest + modulus : rest;
}

/* The greatest common divisor of a > 0 and b >= 0. */
static inline int64_t tt_common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
