/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tuning_costs - one line for each class of links, and the rates of a host.
 *
 * Prices are straight lines in the size, so that crossovers are exact.  The pieces of a measured
 * link become the one line that is off by the least factors on sizes from 1 byte to 64 MiB, by
 * powers of two.  Twice as much and half as much count alike: with errors relative to what was
 * measured, half as much would be a small one, and a link that is slow for large messages only
 * would be taken for a fast one.
 */
#include "planner/tuning_costs.h"

#include <math.h>

/* CACHED: total bytes, between the sizes at which adding is measured in the cache and in memory. */
enum { SIZES = 27, STEPS = 100, CACHED = 4 << 20 };
#define SMALLEST 1e-9 /* part of a step */

/* seconds = alpha + slope * bytes */
struct line {
	double alpha, slope;
};

static const struct tt_link_costs built_in = {
	.inside = {.alpha = 1e-6, .beta = 10e9, .exchange = 2, .together = 4, .ports = 1},
	.between = {.alpha = 20e-6, .beta = 1.25e9, .exchange = 2, .together = 1, .ports = 1},
	.gamma = 1 / 10e9,
	.copy = 1 / 10e9,
};

static double size_of(int i)
{
	return (double)(1 << i);
}

static const struct tt_tuning_piece *piece_of(const struct tt_tuning_link *link, double bytes)
{
	int i = link->npieces - 1;

	while (i > 0 && (double)link->pieces[i].from > bytes)
		i--;
	return &link->pieces[i];
}

static double piece_seconds(const struct tt_tuning_link *link, double bytes)
{
	const struct tt_tuning_piece *piece = piece_of(link, bytes);

	return (double)piece->alpha * 1e-12 + bytes / (double)piece->beta;
}

static double seconds_of(const struct line *line, int i)
{
	return line->alpha + line->slope * size_of(i);
}

/* The sum over sizes of r + 1/r - 2, where r is predicted over measured. */
static double misfit(const struct line *line, const double times[SIZES])
{
	double sum = 0;

	for (int i = 0; i < SIZES; i++) {
		double ratio = seconds_of(line, i) / times[i];

		sum += ratio + 1 / ratio - 2;
	}
	return sum;
}

/* Newton's step for the misfit, which is convex; slopes in units of the largest size. */
static struct line newton(const struct line *line, const double times[SIZES])
{
	double gradient[2] = {0, 0}, a = 0, b = 0, c = 0, largest = size_of(SIZES - 1);

	for (int i = 0; i < SIZES; i++) {
		double predicted = seconds_of(line, i), size = size_of(i) / largest;
		double first = 1 / times[i] - times[i] / (predicted * predicted);
		double second = 2 * times[i] / (predicted * predicted * predicted);

		gradient[0] += first;
		gradient[1] += first * size;
		a += second;
		b += second * size;
		c += second * size * size;
	}
	double determinant = a * c - b * b;

	return (struct line){.alpha = (b * gradient[1] - c * gradient[0]) / determinant,
			     .slope = (b * gradient[0] - a * gradient[1]) / determinant / largest};
}

/* Goes down from the line through the smallest and the largest size, both numbers above 0. */
static struct line balance(const double times[SIZES])
{
	struct line line = {.alpha = times[0], .slope = times[SIZES - 1] / size_of(SIZES - 1)};
	double now = misfit(&line, times);

	for (int i = 0; i < STEPS; i++) {
		struct line step = newton(&line, times), next;
		double part = 1, then = now;

		for (; part > SMALLEST; part /= 2) {
			next.alpha = line.alpha + part * step.alpha;
			next.slope = line.slope + part * step.slope;
			then = next.alpha > 0 && next.slope > 0 ? misfit(&next, times) : now;
			if (then < now)
				break;
		}
		if (!(then < now))
			break;
		line = next;
		now = then;
	}
	return line;
}

static void fit_link(const struct tt_tuning_link *link, struct tt_link_cost *out)
{
	double times[SIZES];

	out->exchange = (double)link->exchange / 100;
	out->together = (double)link->together / 100;
	out->ports = link->ports;
	out->alpha = (double)link->pieces[0].alpha * 1e-12;
	out->beta = (double)link->pieces[0].beta;
	if (link->npieces == 1)
		return;
	for (int i = 0; i < SIZES; i++)
		times[i] = piece_seconds(link, size_of(i));
	struct line line = balance(times);

	out->alpha = line.alpha;
	out->beta = 1 / line.slope;
}

void tt_tuning_costs(const struct tt_tuning *tuning, struct tt_link_costs *out)
{
	*out = built_in;
	if (!tuning)
		return;
	if (tuning->links[TT_INSIDE].npieces)
		fit_link(&tuning->links[TT_INSIDE], &out->inside);
	if (tuning->links[TT_BETWEEN].npieces)
		fit_link(&tuning->links[TT_BETWEEN], &out->between);
	if (tuning->rates[TT_ADD_MEMORY])
		out->gamma = 1 / (double)tuning->rates[TT_ADD_MEMORY];
	if (tuning->rates[TT_COPY_STREAM])
		out->copy = 1 / fmax((double)tuning->rates[TT_COPY_MEMORY],
				     (double)tuning->rates[TT_COPY_STREAM]);
}

void tt_tuning_costs_at(const struct tt_tuning *tuning, uint64_t bytes, uint64_t message,
			struct tt_link_costs *out)
{
	tt_tuning_costs(tuning, out);
	for (int class = 0; tuning && class < TT_LINK_CLASSES; class ++) {
		const struct tt_tuning_link *link = &tuning->links[class];
		struct tt_link_cost *cost = class == TT_INSIDE ? &out->inside : &out->between;

		if (!link->npieces)
			continue;
		cost->alpha = (double)piece_of(link, (double)message)->alpha * 1e-12;
		cost->beta = (double)piece_of(link, (double)message)->beta;
	}
	if (tuning && tuning->rates[TT_ADD_CACHED] && bytes <= CACHED)
		out->gamma = 1 / (double)tuning->rates[TT_ADD_CACHED];
}

double tt_tuning_message(const struct tt_tuning *tuning, enum tt_link_class class, double bytes)
{
	const struct tt_link_cost *cost = class == TT_INSIDE ? &built_in.inside : &built_in.between;

	if (tuning && tuning->links[class].npieces)
		return piece_seconds(&tuning->links[class], bytes);
	return cost->alpha + bytes / cost->beta;
}

double tt_link_rate(const struct tt_link_cost *cost, int64_t n)
{
	return cost->beta * fmin(cost->together / (double)n, fmin(cost->exchange, 2) / 2);
}

enum tt_link_class tt_tuning_class(const struct tt_tuning *tuning)
{
	return tuning && tuning->links[TT_BETWEEN].npieces ? TT_BETWEEN : TT_INSIDE;
}

void tt_tuning_machine(const struct tt_tuning *tuning, enum tt_link_class class,
		       struct tt_machine *out)
{
	struct tt_link_costs costs;

	tt_tuning_costs(tuning, &costs);
	const struct tt_link_cost *cost = class == TT_INSIDE ? &costs.inside : &costs.between;
	struct tt_link_cost alone = *cost; /* on its host */

	alone.together = 1;
	*out = (struct tt_machine){.alpha = cost->alpha,
				   .beta = tt_link_rate(&alone, 1),
				   .gamma = costs.gamma,
				   .links = cost->ports};
}
