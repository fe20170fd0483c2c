/* SPDX-License-Identifier: BSD-3-Clause */
/* Fractions stay in lowest terms, compare exactly, and show that they have left 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "proof/fraction.h"

static void assert_fraction(struct tt_fraction got, int64_t over, int64_t under)
{
	assert_int_equal(got.over, over);
	assert_int_equal(got.under, under);
}

static void lowest_terms(void **state)
{
	(void)state;
	assert_fraction(tt_fraction_of(6, 4), 3, 2);
	assert_fraction(tt_fraction_of(0, 7), 0, 1);
	assert_fraction(tt_fraction_of((__int128)1 << 100, (__int128)1 << 98), 4, 1);
	assert_fraction(tt_fraction_add((struct tt_fraction){1, 6}, (struct tt_fraction){1, 3}), 1,
			2);
	assert_fraction(
		tt_fraction_multiply((struct tt_fraction){2, 3}, (struct tt_fraction){3, 4}), 1, 2);
	assert_fraction(tt_fraction_divide((struct tt_fraction){2, 3}, (struct tt_fraction){4, 3}),
			1, 2);
	assert_int_equal(tt_gcd(12, 18), 6);
	assert_int_equal(tt_gcd(0, 5), 5);
}

/* Against sums over a common denominator. */
static void every_small_pair(void **state)
{
	(void)state;
	for (int64_t a = 0; a < 12; a++)
		for (int64_t b = 1; b < 12; b++)
			for (int64_t c = 0; c < 12; c++)
				for (int64_t d = 1; d < 12; d++) {
					struct tt_fraction x = tt_fraction_of(a, b),
							   y = tt_fraction_of(c, d);
					int order = a * d < c * b ? -1 : a * d > c * b;
					struct tt_fraction sum = tt_fraction_add(x, y);

					assert_int_equal(sum.over * b * d,
							 (a * d + c * b) * sum.under);
					assert_int_equal(tt_gcd(sum.over, sum.under), 1);
					assert_int_equal(tt_fraction_compare(x, y), order);
				}
}

static void overflow_stays_visible(void **state)
{
	struct tt_fraction big = {INT64_MAX, 1}, tiny = {1, INT64_MAX}, other = {1, INT64_MAX - 1};
	char text[TT_FRACTION_TEXT];
	(void)state;

	struct tt_fraction sum = tt_fraction_add(big, big);
	assert_false(tt_fraction_valid(sum));
	assert_false(tt_fraction_valid(tt_fraction_add(tiny, other)));
	assert_false(tt_fraction_valid(tt_fraction_add(sum, (struct tt_fraction){1, 2})));
	assert_false(tt_fraction_valid(tt_fraction_multiply((struct tt_fraction){1, 2}, sum)));
	assert_false(tt_fraction_valid(tt_fraction_divide(big, (struct tt_fraction){0, 1})));
	assert_false(tt_fraction_valid(tt_fraction_of(1, 0)));
	assert_false(tt_fraction_valid(tt_fraction_of(-1, 2)));
	assert_false(tt_fraction_valid(tt_fraction_of(1, ((__int128)1 << 64) + 1)));
	assert_false(tt_fraction_valid(tt_fraction_of(((__int128)1 << 64) + 1, 1)));
	assert_fraction(tt_fraction_multiply(big, tiny), 1, 1);
	assert_int_equal(tt_fraction_compare(tiny, other), -1);
	assert_string_equal(tt_fraction_text(sum, text), "overflow");
	assert_string_equal(tt_fraction_text((struct tt_fraction){7, 2}, text), "7/2");
	assert_string_equal(tt_fraction_text((struct tt_fraction){7, 1}, text), "7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowest_terms),
		cmocka_unit_test(every_small_pair),
		cmocka_unit_test(overflow_stays_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
