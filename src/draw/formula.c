/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula - tries a*X/b + c and N (X + c)/b for every term X and small a, b, c, simple ones first.
 */
#include "draw/formula.h"

#include <inttypes.h>
#include <stdio.h>

/* Fewer samples than this, and several formulas fit. */
enum {
	FEWEST_SAMPLES = 4,
	MOST_FACTOR = 4,
	MOST_DIVISOR = 6,
	MOST_PARTS = 16,
	MOST_ADDEND = 20,
	MOST_EXCEPTIONS = 3
};

static int64_t log_ceil(int64_t base, int64_t n)
{
	int64_t k = 0;

	for (int64_t power = 1; power < n; power *= base)
		k++;
	return k;
}

static int64_t log_floor(int64_t n)
{
	return log_ceil(2, n + 1) - 1;
}

static struct tt_fraction whole(int64_t value)
{
	return (struct tt_fraction){value, 1};
}

static struct tt_fraction one(int64_t n)
{
	(void)n;
	return whole(1);
}

static struct tt_fraction ranks(int64_t n)
{
	return whole(n);
}

static struct tt_fraction others(int64_t n)
{
	return whole(n - 1);
}

static struct tt_fraction half_down(int64_t n)
{
	return whole(n / 2);
}

static struct tt_fraction half_up(int64_t n)
{
	return whole((n + 1) / 2);
}

static struct tt_fraction log2_up(int64_t n)
{
	return whole(log_ceil(2, n));
}

static struct tt_fraction log2_down(int64_t n)
{
	return whole(log_floor(n));
}

static struct tt_fraction log3_up(int64_t n)
{
	return whole(log_ceil(3, n));
}

static struct tt_fraction log4_up(int64_t n)
{
	return whole(log_ceil(4, n));
}

static struct tt_fraction others_by_log2(int64_t n)
{
	return tt_fraction_of(n - 1, log_ceil(2, n));
}

static struct tt_fraction log2_by_ranks(int64_t n)
{
	return whole(n * log_ceil(2, n));
}

static struct tt_fraction there_and_back(int64_t n)
{
	return whole(n - 1 + n * log_ceil(2, n));
}

static const struct term {
	const char *alone, *inside; /* inside: as a factor */
	struct tt_fraction (*value)(int64_t n);
} terms[] = {
	{"1", "1", one},
	{"N", "N", ranks},
	{"N-1", "(N-1)", others},
	{"ceil(log2 N)", "ceil(log2 N)", log2_up},
	{"floor(log2 N)", "floor(log2 N)", log2_down},
	{"ceil(log3 N)", "ceil(log3 N)", log3_up},
	{"ceil(log4 N)", "ceil(log4 N)", log4_up},
	{"floor(N/2)", "floor(N/2)", half_down},
	{"ceil(N/2)", "ceil(N/2)", half_up},
	{"(N-1)/ceil(log2 N)", "(N-1)/ceil(log2 N)", others_by_log2},
	{"N ceil(log2 N)", "N ceil(log2 N)", log2_by_ranks},
	{"N-1 + N ceil(log2 N)", "(N-1 + N ceil(log2 N))", there_and_back},
};
enum { TERMS = sizeof terms / sizeof *terms };

/* A formula: factor * X / divisor + addend; or, times_ranks, N * (X + addend) / divisor. */
struct formula {
	const struct term *term;
	int factor, divisor, addend;
	bool times_ranks;
};

static bool fits_at(const struct formula *formula, int64_t n, struct tt_fraction value)
{
	struct tt_fraction x = formula->term->value(n);
	__int128 sum = (__int128)formula->factor * x.over,
		 addend = (__int128)formula->addend * x.under;

	if (formula->times_ranks)
		sum = (sum + addend) * n;
	else
		sum += addend * formula->divisor;
	return (__int128)value.over * formula->divisor * x.under == sum * value.under;
}

/* At all samples but the first `exceptions`. */
static bool fits(const struct formula *formula, const struct tt_samples *samples, int exceptions)
{
	for (int i = exceptions; i < samples->count; i++)
		if (!fits_at(formula, samples->nranks[i], samples->value[i]))
			return false;
	return true;
}

static void write_addend(int addend, FILE *out)
{
	if (addend)
		fprintf(out, " %c %d", addend > 0 ? '+' : '-', addend > 0 ? addend : -addend);
}

static void write_formula(const struct formula *formula, FILE *out)
{
	const struct term *term = formula->term;
	bool product = formula->factor > 1 || formula->divisor > 1;

	if (formula->times_ranks && term->value == ranks && !formula->addend) {
		fputs("N^2", out);
	} else if (formula->times_ranks) {
		fprintf(out, "N (%s", term->alone);
		write_addend(formula->addend, out);
		fputc(')', out);
	} else if (term->value == one)
		fprintf(out, "%d", formula->factor);
	else if (formula->factor > 1)
		fprintf(out, "%d %s", formula->factor, term->inside);
	else
		fputs(product ? term->inside : term->alone, out);
	if (formula->divisor > 1)
		fprintf(out, "/%d", formula->divisor);
	if (!formula->times_ranks)
		write_addend(formula->addend, out);
}

/* 2/4 and 3/3 have been tried as 1/2 and 1; a constant needs no addend. */
static bool is_new(const struct formula *formula)
{
	return (formula->factor == 1 || formula->divisor == 1 ||
		formula->factor % formula->divisor) &&
	       (formula->term->value != one || !formula->addend);
}

static bool try_terms(struct formula *formula, const struct tt_samples *samples, int exceptions)
{
	for (int i = 0; i < TERMS; i++) {
		formula->term = &terms[i];
		if (is_new(formula) && fits(formula, samples, exceptions))
			return true;
	}
	return false;
}

static bool try_all(struct formula *formula, const struct tt_samples *samples, int exceptions)
{
	int most = formula->times_ranks ? MOST_PARTS : MOST_DIVISOR,
	    factors = formula->times_ranks ? 1 : MOST_FACTOR;

	for (int i = 0; i <= 2 * MOST_ADDEND; i++) { /* addends 0, 1, -1, 2, -2, .. */
		formula->addend = i % 2 ? (i + 1) / 2 : -i / 2;
		for (formula->divisor = 1; formula->divisor <= most; formula->divisor++)
			for (formula->factor = 1; formula->factor <= factors; formula->factor++)
				if (try_terms(formula, samples, exceptions))
					return true;
	}
	return false;
}

bool tt_formula_find(const struct tt_samples *samples, char out[static TT_FORMULA_TEXT])
{
	struct formula formula = {0};
	bool found = false;
	int exceptions = 0;

	for (; exceptions <= MOST_EXCEPTIONS && samples->count - exceptions >= FEWEST_SAMPLES;
	     exceptions++) {
		formula.times_ranks = false;
		found = try_all(&formula, samples, exceptions);
		formula.times_ranks = !found;
		found = found || try_all(&formula, samples, exceptions);
		if (found)
			break;
	}
	FILE *text = found ? fmemopen(out, TT_FORMULA_TEXT, "w") : NULL;

	if (!text)
		return false;
	write_formula(&formula, text);
	if (exceptions)
		fprintf(text, " from N = %" PRId64, samples->nranks[exceptions]);
	fclose(text);
	return true;
}
