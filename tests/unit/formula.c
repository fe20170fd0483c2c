/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas are found for known functions, exceptions are named, and nothing is claimed that does
 * not fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw/formula.h"

static int64_t log2_ceil(int64_t n)
{
	int64_t k = 0;

	for (int64_t power = 1; power < n; power *= 2)
		k++;
	return k;
}

static struct tt_fraction three_halves(int64_t n)
{
	return tt_fraction_of(3 * (n - 1), 2);
}

static struct tt_fraction twice_log(int64_t n)
{
	return tt_fraction_of(2 * log2_ceil(n) + 1, 1);
}

static struct tt_fraction pipeline(int64_t n)
{
	return tt_fraction_of(n * (log2_ceil(n) + 7), 8);
}

static struct tt_fraction square(int64_t n)
{
	return tt_fraction_of(n * n, 2);
}

static struct tt_fraction constant(int64_t n)
{
	(void)n;
	return tt_fraction_of(5, 3);
}

static struct tt_fraction odd_at_first(int64_t n)
{
	return tt_fraction_of(n < 4 ? 77 : n - 1, 1);
}

static struct tt_fraction no_formula(int64_t n)
{
	return tt_fraction_of(n * n * n % 101, 1);
}

static void sample(struct tt_fraction (*function)(int64_t), int64_t last, struct tt_samples *out)
{
	memset(out, 0, sizeof *out);
	for (int64_t n = 2; n <= last; n++) {
		out->nranks[out->count] = n;
		out->value[out->count++] = function(n);
	}
}

static void known_functions(void **state)
{
	static const struct {
		struct tt_fraction (*function)(int64_t);
		const char *text;
	} cases[] = {
		{three_halves, "3 (N-1)/2"},          {twice_log, "2 ceil(log2 N) + 1"},
		{pipeline, "N (ceil(log2 N) + 7)/8"}, {square, "N^2/2"},
		{odd_at_first, "N-1 from N = 4"},
	};
	struct tt_samples samples;
	char text[TT_FORMULA_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sample(cases[i].function, 257, &samples);
		assert_true(tt_formula_find(&samples, text));
		assert_string_equal(text, cases[i].text);
		/* One value off, and it is not said any more. */
		samples.value[200].over++;
		if (tt_formula_find(&samples, text) && !strcmp(text, cases[i].text))
			fail_msg("'%s' is claimed although it is wrong for one N", text);
	}
}

static void no_claims(void **state)
{
	struct tt_samples samples;
	char text[TT_FORMULA_TEXT];

	(void)state;
	sample(no_formula, 257, &samples);
	assert_false(tt_formula_find(&samples, text));
	sample(constant, 257, &samples);
	assert_false(tt_formula_find(&samples, text));
	sample(three_halves, 4, &samples);
	assert_false(tt_formula_find(&samples, text));
	samples.count = 0;
	assert_false(tt_formula_find(&samples, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_functions),
		cmocka_unit_test(no_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
