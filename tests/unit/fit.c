/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits of alpha and beta against times that were made from known ones: exact, noisy, disturbed,
 * with knees, too few.  A failure prints the seed of its noise.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "planner/fit.h"

enum { MOST = 4096 };

/* xorshift64*, in [0, 1) */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)((*state * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return sum - 6;
}

struct law {
	double alpha, beta;   /* below knee */
	double knee;          /* bytes; 0: none */
	double alpha2, beta2; /* from it on */
};

static double taken(const struct law *law, double bytes)
{
	return law->knee > 0 && bytes >= law->knee ? law->alpha2 + bytes / law->beta2
						   : law->alpha + bytes / law->beta;
}

/* Sizes 2^i and 1.5*2^i from 8 bytes to 16 MiB, repeats of each. */
static int64_t make(const struct law *law, int repeats, struct tt_sample *out)
{
	int64_t n = 0;

	for (double size = 8; size <= 16 << 20; size *= 2)
		for (int i = 0; i < 2 * repeats; i++) {
			double bytes = i % 2 ? 1.5 * size : size;

			out[n++] = (struct tt_sample){bytes, taken(law, bytes), 0};
		}
	return n;
}

static void assert_near(double got, double wanted, double part, uint64_t seed)
{
	if (!(fabs(got - wanted) <= part * wanted))
		fail_msg("%g is not within %g%% of %g (seed %llu)", got, 100 * part, wanted,
			 (unsigned long long)seed);
}

static void test_exact(void **state)
{
	static const struct law laws[] = {{1e-6, 10e9, 0, 0, 0},
					  {30e-6, 0.12e9, 0, 0, 0},
					  {5e-9, 400e9, 0, 0, 0},
					  {2, 1e3, 0, 0, 0}};
	struct tt_sample samples[MOST];
	struct tt_fit fit;

	(void)state;
	for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
		int64_t n = make(&laws[i], 1, samples);

		assert_int_equal(tt_fit(samples, n, &fit), TOTUM_OK);
		assert_int_equal(fit.npieces, 1);
		assert_near(fit.pieces[0].line.alpha, laws[i].alpha, 1e-6, i);
		assert_near(fit.pieces[0].line.beta, laws[i].beta, 1e-6, i);
		assert_true(fit.pieces[0].from == 8 && fit.pieces[0].to == 1.5 * (16 << 20));
		assert_true(fit.pieces[0].line.error < 1e-9 && !fit.drops);
	}
}

/* 3% of noise: the truth lies in the intervals about as often as they say. */
static void test_intervals(void **state)
{
	const struct law law = {2e-6, 5e9, 0, 0, 0};
	struct tt_sample samples[MOST];
	int inside_alpha = 0, inside_beta = 0, whole = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		int64_t n = make(&law, 1, samples);
		struct tt_line line;
		struct tt_fit fit;

		for (int64_t i = 0; i < n; i++)
			samples[i].seconds *= 1 + 0.03 * normal(&random);
		assert_int_equal(tt_fit_line(samples, n, &line), TOTUM_OK);
		assert_near(line.alpha, law.alpha, 0.1, seed);
		assert_near(line.beta, law.beta, 0.1, seed);
		inside_alpha += line.alpha_low <= law.alpha && law.alpha <= line.alpha_high;
		inside_beta += line.beta_low <= law.beta && law.beta <= line.beta_high;
		assert_true(line.alpha_high < 1.1 * line.alpha && line.beta_high < 1.1 * line.beta);
		assert_int_equal(tt_fit(samples, n, &fit), TOTUM_OK);
		whole += fit.npieces == 1;
	}
	assert_in_range(inside_alpha, 180, 200);
	assert_in_range(inside_beta, 180, 200);
	assert_in_range(whole, 190, 200); /* noise is no protocol */
}

/* A tenth of the samples took up to fifty times as long. */
static void test_disturbed(void **state)
{
	const struct law law = {0.4e-6, 8e9, 0, 0, 0};
	struct tt_sample samples[MOST];

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		int64_t n = make(&law, 30, samples);
		struct tt_fit fit;

		for (int64_t i = 0; i < n; i++) {
			samples[i].seconds *= 1 + 0.01 * fabs(normal(&random));
			if (uniform(&random) < 0.1)
				samples[i].seconds *= 1 + 49 * uniform(&random);
		}
		assert_int_equal(tt_fit(samples, n, &fit), TOTUM_OK);
		assert_int_equal(fit.npieces, 1);
		assert_near(fit.pieces[0].line.alpha, law.alpha, 0.02, seed);
		assert_near(fit.pieces[0].line.beta, law.beta, 0.02, seed);
	}
}

static void test_knee(void **state)
{
	static const struct law laws[] = {{1e-6, 2e9, 65536, 12e-6, 12e9},
					  {20e-6, 1e9, 1024, 60e-6, 1.1e9},
					  {1e-6, 12e9, 1 << 20, 1e-6, 4e9}};
	struct tt_sample samples[MOST];

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		const struct law *law = &laws[seed % 3];
		int64_t n = make(law, 1, samples);
		struct tt_fit fit;

		for (int64_t i = 0; i < n; i++)
			samples[i].seconds *= 1 + 0.01 * normal(&random);
		assert_int_equal(tt_fit(samples, n, &fit), TOTUM_OK);
		if (fit.npieces < 2)
			fail_msg("no knee found (seed %llu)", (unsigned long long)seed);
		bool found = false;

		for (int k = 1; k < fit.npieces; k++) {
			found |= fit.pieces[k].from == law->knee;
			assert_true(fit.pieces[k].from > fit.pieces[k - 1].to);
		}
		if (!found)
			fail_msg("%d pieces, none from %g on (seed %llu)", fit.npieces, law->knee,
				 (unsigned long long)seed);
		assert_near(fit.pieces[0].line.alpha, law->alpha, 0.05, seed);
		assert_near(fit.pieces[fit.npieces - 1].line.beta, law->beta2, 0.05, seed);
		if (seed % 3 != 0)
			continue;
		assert_int_equal(fit.npieces, 2);
		assert_false(fit.pieces[1].line.alpha_low > law->alpha2);
		assert_false(fit.pieces[1].line.alpha_high < law->alpha2);
	}
}

static void test_drop_is_told(void **state)
{
	const struct law law = {1e-6, 1e9, 65536, 1e-6, 10e9};
	struct tt_sample samples[MOST];
	struct tt_fit fit;

	(void)state;
	assert_int_equal(tt_fit(samples, make(&law, 1, samples), &fit), TOTUM_OK);
	assert_int_equal(fit.npieces, 2);
	assert_true(fit.drops);
}

/* A start-up time cannot be negative, and a rate is never. */
static void test_clamped(void **state)
{
	struct tt_sample samples[] = {
		{100, 1e-9, 0}, {200, 3e-9, 0}, {300, 5e-9, 0}, {400, 7e-9, 0}};
	struct tt_sample falling[] = {{1, 4e-6, 0}, {2, 3.9e-6, 0}, {4, 3.8e-6, 0}, {8, 3.7e-6, 0}};
	struct tt_line line;

	(void)state;
	assert_int_equal(tt_fit_line(samples, 4, &line), TOTUM_OK);
	assert_true(line.alpha == 0 && line.alpha_low == 0 && line.alpha_high > 0);
	assert_true(line.beta > 0 && isfinite(line.beta));
	assert_int_equal(tt_fit_line(falling, 4, &line), TOTUM_OK);
	assert_true(isinf(line.beta) && line.beta > 0 && isinf(line.beta_high));
	assert_true(line.beta_low > 0 && isfinite(line.beta_low));
	assert_near(line.alpha, 3.85e-6, 0.01, 0);
}

static void test_order_does_not_count(void **state)
{
	const struct law law = {1e-6, 2e9, 65536, 12e-6, 12e9};
	struct tt_sample samples[MOST], turned[MOST];
	int64_t n = make(&law, 3, samples);
	struct tt_fit one, other;

	(void)state;
	for (int64_t i = 0; i < n; i++)
		turned[i] = samples[n - 1 - i];
	assert_int_equal(tt_fit(samples, n, &one), TOTUM_OK);
	assert_int_equal(tt_fit(turned, n, &other), TOTUM_OK);
	assert_int_equal(one.npieces, other.npieces);
	for (int k = 0; k < one.npieces; k++)
		assert_true(one.pieces[k].line.alpha == other.pieces[k].line.alpha &&
			    one.pieces[k].line.beta == other.pieces[k].line.beta);
}

static void refused(const struct tt_sample *samples, int64_t n, const char *part)
{
	struct tt_fit fit;

	assert_int_equal(tt_fit(samples, n, &fit), TOTUM_EINVAL);
	if (!strstr(totum_errmsg(), part))
		fail_msg("'%s' does not say '%s'", totum_errmsg(), part);
}

static void test_refused(void **state)
{
	struct tt_sample good[] = {{8, 1e-6, 0}, {16, 1e-6, 0}, {32, 2e-6, 0}, {64, 3e-6, 0}},
			 bad[4];
	struct tt_sample many[TT_FIT_SIZES + 1];
	struct tt_line line;
	struct tt_fit fit;

	(void)state;
	assert_int_equal(tt_fit(good, 4, &fit), TOTUM_OK);
	refused(good, 0, "no samples");
	refused(good, 3, "3 sizes are too few");
	memcpy(bad, good, sizeof bad);
	bad[3].bytes = 8;
	refused(bad, 4, "3 sizes are too few");
	for (int i = 0; i <= TT_FIT_SIZES; i++)
		many[i] = (struct tt_sample){i, 1e-6, 0};
	refused(many, TT_FIT_SIZES + 1, "too many");
	assert_int_equal(tt_fit(many, TT_FIT_SIZES, &fit), TOTUM_OK);
	static const double wrong[] = {0, -1e-6, (double)NAN, (double)INFINITY};

	for (int i = 0; i < 4; i++) {
		memcpy(bad, good, sizeof bad);
		bad[2].seconds = wrong[i];
		refused(bad, 4, "sample 2 are no time");
		assert_int_equal(tt_fit_line(bad, 4, &line), TOTUM_EINVAL);
		bad[2] = (struct tt_sample){i ? wrong[i] : -1, 1e-6, 0};
		refused(bad, 4, "sample 2 are no size");
	}
	for (int i = 0; i < 4; i++)
		bad[i] = (struct tt_sample){64, 1e-6, 0};
	assert_int_equal(tt_fit_line(bad, 4, &line), TOTUM_EINVAL);
	assert_int_equal(tt_fit_line(good, 3, &line), TOTUM_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_knee),
		cmocka_unit_test(test_drop_is_told),
		cmocka_unit_test(test_clamped),
		cmocka_unit_test(test_order_does_not_count),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
