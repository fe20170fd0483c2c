/* SPDX-License-Identifier: BSD-3-Clause */
/* fraction - exact fractions: 64-bit terms, 128-bit products, an overflow that stays visible. */
#include "proof/fraction.h"

#include <inttypes.h>
#include <stdio.h>

static const struct tt_fraction invalid = {0, 0};

static __int128 gcd(__int128 a, __int128 b)
{
	while (b) {
		__int128 rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

int64_t tt_gcd(int64_t a, int64_t b)
{
	return (int64_t)gcd(a, b);
}

struct tt_fraction tt_fraction_of(__int128 over, __int128 under)
{
	if (under <= 0 || over < 0)
		return invalid;
	__int128 common = gcd(over, under);
	over /= common;
	under /= common;
	if (over > INT64_MAX || under > INT64_MAX)
		return invalid;
	return (struct tt_fraction){(int64_t)over, (int64_t)under};
}

bool tt_fraction_valid(struct tt_fraction a)
{
	return a.under > 0;
}

struct tt_fraction tt_fraction_add(struct tt_fraction a, struct tt_fraction b)
{
	__int128 left, right, over;

	if (!tt_fraction_valid(a) || !tt_fraction_valid(b))
		return invalid;
	/* Over the least common denominator, so that long sums of alike fractions stay small. */
	int64_t common = tt_gcd(a.under, b.under);
	left = (__int128)a.over * (b.under / common);
	right = (__int128)b.over * (a.under / common);
	if (__builtin_add_overflow(left, right, &over))
		return invalid;
	return tt_fraction_of(over, (__int128)a.under * (b.under / common));
}

struct tt_fraction tt_fraction_multiply(struct tt_fraction a, struct tt_fraction b)
{
	if (!tt_fraction_valid(a) || !tt_fraction_valid(b))
		return invalid;
	return tt_fraction_of((__int128)a.over * b.over, (__int128)a.under * b.under);
}

struct tt_fraction tt_fraction_divide(struct tt_fraction a, struct tt_fraction b)
{
	if (!tt_fraction_valid(a) || !tt_fraction_valid(b))
		return invalid;
	return tt_fraction_of((__int128)a.over * b.under, (__int128)a.under * b.over);
}

int tt_fraction_compare(struct tt_fraction a, struct tt_fraction b)
{
	__int128 left = (__int128)a.over * b.under, right = (__int128)b.over * a.under;

	return left < right ? -1 : left > right;
}

double tt_fraction_value(struct tt_fraction a)
{
	return (double)a.over / (double)a.under;
}

const char *tt_fraction_text(struct tt_fraction a, char out[static TT_FRACTION_TEXT])
{
	if (!tt_fraction_valid(a))
		snprintf(out, TT_FRACTION_TEXT, "overflow");
	else if (a.under == 1)
		snprintf(out, TT_FRACTION_TEXT, "%" PRId64, a.over);
	else
		snprintf(out, TT_FRACTION_TEXT, "%" PRId64 "/%" PRId64, a.over, a.under);
	return out;
}
