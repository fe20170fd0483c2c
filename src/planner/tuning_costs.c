/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tuning_costs - one line for each class of links, and the rates of a host.
 *
 * Prices are straight lines in the size, so that crossovers are exact; the pieces of a measured
 * link become one line by the fit that made them, on sizes from 1 byte to 64 MiB by powers of two.
 */
#include "planner/tuning_costs.h"

#include <math.h>

#include "planner/fit.h"

/* CACHED: total bytes, between the sizes at which adding is measured in the cache and in memory. */
enum { SIZES = 27, CACHED = 4 << 20 };

static const struct tt_link_costs built_in = {
	.inside = {.alpha = 1e-6, .beta = 10e9, .exchange = 2, .together = 4, .ports = 1},
	.between = {.alpha = 20e-6, .beta = 1.25e9, .exchange = 2, .together = 1, .ports = 1},
	.gamma = 1 / 10e9,
	.copy = 1 / 10e9,
};

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

static void fit_link(const struct tt_tuning_link *link, struct tt_link_cost *out)
{
	struct tt_sample samples[SIZES];
	struct tt_line line;

	out->exchange = (double)link->exchange / 100;
	out->together = (double)link->together / 100;
	out->ports = link->ports;
	out->alpha = (double)link->pieces[0].alpha * 1e-12;
	out->beta = (double)link->pieces[0].beta;
	if (link->npieces == 1)
		return;
	for (int i = 0; i < SIZES; i++) {
		double bytes = (double)(1 << i);

		samples[i] = (struct tt_sample){bytes, piece_seconds(link, bytes)};
	}
	/* sizes and times are numbers above 0: the fit refuses nothing but a flat line's rate */
	if (tt_fit_line(samples, SIZES, &line))
		return;
	out->alpha = line.alpha;
	out->beta = isfinite(line.beta) ? line.beta : (double)link->pieces[link->npieces - 1].beta;
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
