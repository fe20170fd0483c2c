/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fit - alpha and beta by least squares of relative errors, in pieces.
 *
 * Times span five decades.  With equal weights the largest messages set alpha, often below 0; the
 * weight 1/T^2 makes an error of a percent count alike at each size.  What disturbs a measurement
 * only ever lengthens it, so that a size's time is a low quantile of its samples.
 *
 * A protocol that changes with the size, or a cache that ends, is a knee: pieces with lines of
 * their own are found by dynamic programming over the sizes, and another piece is taken when
 * Schwarz's criterion, n ln(error^2) + k ln(n), falls by more than SURE.  Errors below FLOOR are
 * not told apart: what is left below it is no protocol.
 *
 * In steady use samples err to both sides, and some sizes by far more than others.  Each then has
 * the weight of its own certainty, and the criterion sees errors as multiples of it.
 *
 * Intervals are those of linear regression, by Student's t of the residuals; they say how far the
 * line could be turned, not how much two machines differ.
 */
#include "planner/fit.h"

#include <math.h>
#include <stdlib.h>

#define QUANTILE 0.05
#define FLOOR    0.01
#define SURE     6.0

/* A line with what is needed to judge it. */
struct fitted {
	double alpha, slope;                   /* slope: seconds a byte */
	double alpha_variance, slope_variance; /* for residuals of variance 1 */
	double sum;                            /* of squared relative errors */
	double worst;
	int64_t parameters; /* that were free */
};

/* --- one line ------------------------------------------------------------------------------- */

/* Of a relative error: 1 where nothing is known against the size. */
static double certainty(const struct tt_sample *sample)
{
	return FLOOR * FLOOR / (FLOOR * FLOOR + sample->spread * sample->spread);
}

static void judge(const struct tt_sample *samples, int64_t n, struct fitted *fitted)
{
	fitted->sum = fitted->worst = 0;
	for (int64_t i = 0; i < n; i++) {
		double predicted = fitted->alpha + fitted->slope * samples[i].bytes;
		double error = fabs(predicted / samples[i].seconds - 1);

		fitted->sum += error * error * certainty(&samples[i]);
		fitted->worst = fmax(fitted->worst, error);
	}
}

/* Two sizes or more. */
static struct fitted solve(const struct tt_sample *samples, int64_t n)
{
	double weights = 0, size = 0, time = 0, spread = 0, together = 0, squares = 0, products = 0;
	struct fitted fitted = {.parameters = 2};

	for (int64_t i = 0; i < n; i++) {
		double weight = certainty(&samples[i]) / (samples[i].seconds * samples[i].seconds);

		weights += weight;
		size += weight * samples[i].bytes;
		time += weight * samples[i].seconds;
		squares += weight * samples[i].bytes * samples[i].bytes;
		products += weight * samples[i].bytes * samples[i].seconds;
	}
	size /= weights;
	time /= weights;
	for (int64_t i = 0; i < n; i++) {
		double weight = certainty(&samples[i]) / (samples[i].seconds * samples[i].seconds);
		double away = samples[i].bytes - size;

		spread += weight * away * away;
		together += weight * away * (samples[i].seconds - time);
	}
	fitted.slope = together / spread;
	fitted.alpha = time - fitted.slope * size;
	fitted.slope_variance = 1 / spread;
	fitted.alpha_variance = 1 / weights + size * size / spread;
	if (fitted.alpha < 0) {
		fitted.alpha = 0;
		fitted.slope = products / squares;
		fitted.slope_variance = 1 / squares;
		fitted.parameters = 1;
	} else if (fitted.slope < 0) {
		fitted.slope = 0;
		fitted.alpha = time;
		fitted.alpha_variance = 1 / weights;
		fitted.parameters = 1;
	}
	judge(samples, n, &fitted);
	return fitted;
}

/* How many standard errors to each side hold 95%, by degrees of freedom. */
static double student(int64_t freedom)
{
	static const double table[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
				       2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
				       2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
	enum { ROWS = sizeof table / sizeof *table };

	return freedom <= ROWS ? table[freedom > 0 ? freedom - 1 : 0]
			       : 1.960 + 2.4 / (double)freedom;
}

static double rate(double slope)
{
	return slope > 0 ? 1 / slope : (double)INFINITY;
}

static struct tt_line line_of(const struct fitted *fitted, int64_t n)
{
	int64_t freedom = n - fitted->parameters;
	double spread = student(freedom) * sqrt(fitted->sum / (double)freedom);
	double alpha = spread * sqrt(fitted->alpha_variance);
	double slope = spread * sqrt(fitted->slope_variance);

	return (struct tt_line){
		.alpha = fitted->alpha,
		.alpha_low = fmax(0, fitted->alpha - alpha),
		.alpha_high = fitted->alpha + alpha,
		.beta = rate(fitted->slope),
		.beta_low = rate(fitted->slope + slope),
		.beta_high = rate(fitted->slope - slope),
		.error = fitted->worst,
	};
}

static totum_status refuse_samples(const struct tt_sample *samples, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (!(samples[i].bytes >= 0 && isfinite(samples[i].bytes)))
			return tt_fail(TOTUM_EINVAL, "%g bytes of sample %lld are no size",
				       samples[i].bytes, (long long)i);
		if (!(samples[i].seconds > 0 && isfinite(samples[i].seconds)))
			return tt_fail(TOTUM_EINVAL,
				       "%g seconds of sample %lld are no time; measure more calls "
				       "together if the clock is too coarse",
				       samples[i].seconds, (long long)i);
	}
	return TOTUM_OK;
}

totum_status tt_fit_line(const struct tt_sample *samples, int64_t n, struct tt_line *out)
{
	totum_status status = refuse_samples(samples, n);
	bool differ = false;

	for (int64_t i = 1; i < n; i++)
		differ |= samples[i].bytes != samples[0].bytes;
	if (status)
		return status;
	if (n < TT_FIT_LEAST || !differ)
		return tt_fail(TOTUM_EINVAL,
			       "%lld sample%s of %s are too few to tell alpha from beta; measure "
			       "%d or more, of different sizes",
			       (long long)n, n == 1 ? "" : "s", differ ? "two sizes" : "one size",
			       TT_FIT_LEAST);
	struct fitted fitted = solve(samples, n);

	*out = line_of(&fitted, n);
	return TOTUM_OK;
}

/* --- one time for each size ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	const struct tt_sample *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* The median of n sorted samples of a size, and how far apart the middle half of them is. */
static struct tt_sample typical(const struct tt_sample *sorted, int64_t n)
{
	struct tt_sample sample = sorted[n / 2];

	sample.spread = (sorted[n - 1 - n / 4].seconds - sorted[n / 4].seconds) / sample.seconds;
	return sample;
}

/* Sorts the samples, leaves one for each size at their beginning, and returns how many. */
static int64_t reduce(struct tt_sample *samples, int64_t n, bool steady)
{
	int64_t sizes = 0, end;

	qsort(samples, (size_t)n, sizeof *samples, ascending);
	for (int64_t first = 0; first < n; first = end) {
		for (end = first + 1; end < n && samples[end].bytes == samples[first].bytes;)
			end++;
		int64_t low = (int64_t)ceil(QUANTILE * (double)(end - first)) - 1;

		samples[sizes] =
			steady ? typical(samples + first, end - first) : samples[first + low];
		sizes++;
	}
	return sizes;
}

/* --- pieces --------------------------------------------------------------------------------- */

/* least[k][j]: the least sum of k+1 pieces over the first j sizes; begin[k][j]: the last's first */
struct cuts {
	double least[TT_FIT_PIECES][TT_FIT_SIZES + 1];
	int64_t begin[TT_FIT_PIECES][TT_FIT_SIZES + 1];
};

static void cut(const struct tt_sample *sizes, int64_t n, struct cuts *cuts)
{
	for (int64_t j = TT_FIT_LEAST; j <= n; j++) {
		for (int k = 0; k < TT_FIT_PIECES; k++)
			cuts->least[k][j] = (double)INFINITY;
		for (int64_t i = 0; i + TT_FIT_LEAST <= j; i++) {
			double sum = solve(sizes + i, j - i).sum;

			if (!i)
				cuts->least[0][j] = sum;
			for (int k = 1; k < TT_FIT_PIECES && i >= TT_FIT_LEAST; k++) {
				if (cuts->least[k - 1][i] + sum >= cuts->least[k][j])
					continue;
				cuts->least[k][j] = cuts->least[k - 1][i] + sum;
				cuts->begin[k][j] = i;
			}
		}
	}
}

/* How many pieces are worth their parameters: two of each, and where it begins. */
static int worthwhile(const struct cuts *cuts, int64_t n)
{
	double best = (double)INFINITY;
	int pieces = 1;

	for (int k = 0; k < TT_FIT_PIECES && n >= (k + 1) * TT_FIT_LEAST; k++) {
		double criterion = (double)n * log(cuts->least[k][n] / (double)n + FLOOR * FLOOR) +
				   3 * k * log((double)n);

		if (k && criterion > best - SURE)
			continue;
		best = criterion;
		pieces = k + 1;
	}
	return pieces;
}

static double predict(const struct tt_line *line, double bytes)
{
	return line->alpha + bytes / line->beta;
}

static void assemble(const struct tt_sample *sizes, int64_t n, const struct cuts *cuts,
		     struct tt_fit *out)
{
	int64_t end = n;

	for (int k = out->npieces - 1; k >= 0; k--) {
		int64_t first = k ? cuts->begin[k][end] : 0;
		struct fitted fitted = solve(sizes + first, end - first);

		out->pieces[k] = (struct tt_fit_piece){.from = sizes[first].bytes,
						       .to = sizes[end - 1].bytes,
						       .line = line_of(&fitted, end - first)};
		end = first;
	}
	for (int k = 1; k < out->npieces; k++)
		out->drops |= predict(&out->pieces[k].line, out->pieces[k].from) <
			      predict(&out->pieces[k - 1].line, out->pieces[k - 1].to);
}

static totum_status fit(const struct tt_sample *samples, int64_t n, bool steady, struct tt_fit *out)
{
	totum_status status = refuse_samples(samples, n);

	*out = (struct tt_fit){0};
	if (status)
		return status;
	if (n <= 0)
		return tt_fail(TOTUM_EINVAL, "there are no samples to fit alpha and beta to");
	struct tt_sample *sizes = malloc((size_t)n * sizeof *sizes);
	struct cuts *cuts = malloc(sizeof *cuts);

	if (!sizes || !cuts) {
		free(sizes);
		free(cuts);
		return tt_fail_memory((size_t)n * sizeof *sizes + sizeof *cuts, "a fit");
	}
	for (int64_t i = 0; i < n; i++)
		sizes[i] = (struct tt_sample){samples[i].bytes, samples[i].seconds, 0};
	n = reduce(sizes, n, steady);
	if (n < TT_FIT_LEAST || n > TT_FIT_SIZES) {
		status = tt_fail(TOTUM_EINVAL,
				 "samples of %lld size%s are too %s to fit alpha and beta to; "
				 "measure %d to %d sizes",
				 (long long)n, n == 1 ? "" : "s", n < TT_FIT_LEAST ? "few" : "many",
				 TT_FIT_LEAST, TT_FIT_SIZES);
	} else {
		cut(sizes, n, cuts);
		out->npieces = worthwhile(cuts, n);
		assemble(sizes, n, cuts, out);
	}
	free(sizes);
	free(cuts);
	return status;
}

totum_status tt_fit(const struct tt_sample *samples, int64_t n, struct tt_fit *out)
{
	return fit(samples, n, false, out);
}

totum_status tt_fit_steady(const struct tt_sample *samples, int64_t n, struct tt_fit *out)
{
	return fit(samples, n, true, out);
}
