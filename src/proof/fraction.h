/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fraction.h - exact non-negative fractions of 64-bit numbers.
 *
 * Results are in lowest terms.  Intermediate products have 128 bits; a result that does not
 * fit, or a division by zero, is the invalid fraction 0/0, which every later operation passes
 * on: check once, at the end.
 */
#ifndef TT_FRACTION_H
#define TT_FRACTION_H

#include "algorithms/algorithm.h"

/* over/under in lowest terms; both must be >= 0. */
struct tt_fraction tt_fraction_of(__int128 over, __int128 under);
struct tt_fraction tt_fraction_add(struct tt_fraction a, struct tt_fraction b);
struct tt_fraction tt_fraction_multiply(struct tt_fraction a, struct tt_fraction b);
struct tt_fraction tt_fraction_divide(struct tt_fraction a, struct tt_fraction b);
/* -1, 0, 1; both must be valid. */
int tt_fraction_compare(struct tt_fraction a, struct tt_fraction b);
bool tt_fraction_valid(struct tt_fraction a);
double tt_fraction_value(struct tt_fraction a);

enum { TT_FRACTION_TEXT = 48 };
/* "7/2", "7" for whole numbers, "overflow" for an invalid one. */
const char *tt_fraction_text(struct tt_fraction a, char out[static TT_FRACTION_TEXT]);

int64_t tt_gcd(int64_t a, int64_t b);

#endif
