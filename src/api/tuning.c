/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning - the entry points of tuning files, and of predictions by them. */
#include "totum_tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/tuning.h"
#include "planner/choose.h"
#include "planner/predict.h"
#include "planner/problem.h"
#include "topology/topology.h"

struct totum_tuning {
	struct tt_tuning *facts;
	struct tt_fit fits[TT_LINK_CLASSES]; /* without pieces where not measured here */
};

totum_status totum_tuning_open(const char *file, totum_tuning **out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL, "totum_tuning_open: out must not be NULL");
	totum_tuning *tuning = calloc(1, sizeof *tuning);

	if (!tuning)
		return tt_fail_memory(sizeof *tuning, "a tuning");
	totum_status status =
		file ? tt_tuning_open(file, &tuning->facts) : tt_tuning_new(&tuning->facts);

	if (status)
		free(tuning);
	else
		*out = tuning;
	return status;
}

void totum_tuning_free(totum_tuning *tuning)
{
	if (!tuning)
		return;
	tt_tuning_free(tuning->facts);
	free(tuning);
}

totum_status totum_tuning_write(const totum_tuning *tuning, FILE *out)
{
	if (!tuning || !out)
		return tt_fail(TOTUM_EINVAL, "totum_tuning_write: tuning and out must not be NULL");
	tt_tuning_write(tuning->facts, out);
	return TOTUM_OK;
}

totum_status totum_tuning_show(const totum_tuning *tuning, FILE *out)
{
	if (!tuning || !out)
		return tt_fail(TOTUM_EINVAL, "totum_tuning_show: tuning and out must not be NULL");
	const struct tt_fit *const fits[TT_LINK_CLASSES] = {&tuning->fits[TT_INSIDE],
							    &tuning->fits[TT_BETWEEN]};

	return tt_draw_tuning(tuning->facts, fits, out);
}

totum_status totum_tuning_merge(totum_tuning *into, const totum_tuning *from)
{
	if (!into || !from)
		return tt_fail(TOTUM_EINVAL, "totum_tuning_merge: into and from must not be NULL");
	for (int class = 0; class < TT_LINK_CLASSES; class ++)
		if (from->facts->links[class].npieces)
			into->fits[class] = from->fits[class];
	return tt_tuning_merge(into->facts, from->facts);
}

/* --- measured facts ------------------------------------------------------------------------- */

/* More digits than a measurement has would make two of them look different. */
static int64_t three_digits(double value, double least, double most)
{
	value = fmin(fmax(value, least), most);
	if (value < 1000)
		return llround(value);
	double unit = pow(10, floor(log10(value)) - 2);

	return llround(value / unit) * llround(unit);
}

static int64_t whole_rate(double rate)
{
	return three_digits(rate, 1, (double)TT_TOPOLOGY_CAPACITY);
}

static int64_t hundredths(double factor)
{
	return llround(fmin(fmax(factor, 0.01), 1e4) * 100);
}

static struct tt_tuning_link facts_of(const struct tt_fit *fit, const totum_link_samples *samples)
{
	struct tt_tuning_link link = {.npieces = fit->npieces,
				      .exchange = hundredths(samples->exchange),
				      .together = hundredths(samples->together),
				      .ports = samples->ports};

	for (int i = 0; i < fit->npieces; i++) {
		const struct tt_line *line = &fit->pieces[i].line;
		double alpha = line->alpha * (double)TT_PICOSECONDS;

		link.pieces[i] = (struct tt_tuning_piece){
			.from = i ? (uint64_t)fit->pieces[i].from : 0,
			.alpha = three_digits(alpha, 0, 1000 * (double)TT_PICOSECONDS),
			.beta = whole_rate(line->beta)};
	}
	return link;
}

/* beta is of one direction alone: so much more than what it is while both are in use. */
static void one_way(struct tt_fit *fit, double factor)
{
	for (int i = 0; i < fit->npieces; i++) {
		struct tt_line *line = &fit->pieces[i].line;

		line->beta *= factor;
		line->beta_low *= factor;
		line->beta_high *= factor;
	}
}

totum_status totum_tuning_link(totum_tuning *tuning, const totum_link_samples *samples)
{
	if (!tuning || !samples || (samples->n && (!samples->bytes || !samples->seconds)))
		return tt_fail(TOTUM_EINVAL,
			       "totum_tuning_link: tuning, samples and their arrays must not be "
			       "NULL");
	if (!(samples->exchange > 0 && samples->together > 0 && samples->ports >= 1 &&
	      samples->ports <= 1 << 20))
		return tt_fail(TOTUM_EINVAL,
			       "totum_tuning_link: exchange and together must be above 0, ports at "
			       "least 1");
	enum tt_link_class class = samples->between ? TT_BETWEEN : TT_INSIDE;
	struct tt_sample *pairs = calloc(samples->n + 1, sizeof *pairs);
	struct tt_fit fit;

	if (!pairs)
		return tt_fail_memory(samples->n * sizeof *pairs, "samples");
	for (size_t i = 0; i < samples->n; i++)
		pairs[i] = (struct tt_sample){samples->bytes[i], samples->seconds[i], 0};
	totum_status status = samples->both_ways ? tt_fit_steady(pairs, (int64_t)samples->n, &fit)
						 : tt_fit(pairs, (int64_t)samples->n, &fit);

	free(pairs);
	if (!status && samples->both_ways)
		one_way(&fit, 2 / fmin(2, (double)hundredths(samples->exchange) / 100));
	if (status)
		return tt_fail_in(status, "links %s",
				  samples->between ? "between hosts" : "inside a host");
	tuning->fits[class] = fit;
	tuning->facts->links[class] = facts_of(&fit, samples);
	return TOTUM_OK;
}

totum_status totum_tuning_rates(totum_tuning *tuning, const totum_rates *rates)
{
	if (!tuning || !rates)
		return tt_fail(TOTUM_EINVAL,
			       "totum_tuning_rates: tuning and rates must not be NULL");
	const double given[TT_RATES] = {
		[TT_ADD_CACHED] = rates->add_cached,   [TT_ADD_MEMORY] = rates->add_memory,
		[TT_COPY_CACHED] = rates->copy_cached, [TT_COPY_MEMORY] = rates->copy_memory,
		[TT_COPY_STREAM] = rates->copy_stream,
	};
	bool add = given[TT_ADD_CACHED] > 0 && given[TT_ADD_MEMORY] > 0;
	bool copy =
		given[TT_COPY_CACHED] > 0 && given[TT_COPY_MEMORY] > 0 && given[TT_COPY_STREAM] > 0;

	for (int i = 0; i < TT_RATES; i++)
		if (i < TT_COPY_CACHED ? add : copy)
			tuning->facts->rates[i] = whole_rate(given[i]);
	return TOTUM_OK;
}

/* One line, or it would be read as facts. */
static void take_note(const char *note, char out[static TT_TUNING_NOTE])
{
	snprintf(out, TT_TUNING_NOTE, "%s", note ? note : "");
	for (char *at = out; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

totum_status totum_tuning_use(totum_tuning *tuning, const totum_use *use)
{
	struct tt_problem problem;
	char text[400];

	if (!tuning || !use || !use->collective || !use->algorithm)
		return tt_fail(TOTUM_EINVAL,
			       "totum_tuning_use: tuning, use, its collective and algorithm must "
			       "not be NULL");
	if (use->nhosts < 1 || use->nhosts > use->nranks || use->low > use->high)
		return tt_fail(TOTUM_EINVAL,
			       "totum_tuning_use: %d hosts of %d ranks, from %llu to %llu bytes: "
			       "nothing of that kind exists",
			       use->nhosts, use->nranks, (unsigned long long)use->low,
			       (unsigned long long)use->high);
	snprintf(text, sizeof text, "%.60s:n=%d:algo=%.200s", use->collective, use->nranks,
		 use->algorithm);
	totum_status status = tt_problem_parse(text, &problem);

	if (status)
		return status;
	struct tt_tuning_use decision = {.collective = problem.collective,
					 .nranks = use->nranks,
					 .nhosts = use->nhosts,
					 .low = use->low,
					 .high = use->high};
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];

	status =
		tt_algorithm_parse(problem.collective, use->algorithm, use->nranks, &entry, values);
	if (status)
		return status;
	tt_algorithm_format(entry, values, decision.algorithm);
	take_note(use->note, decision.note);
	return tt_tuning_add_use(tuning->facts, &decision);
}

/* --- predictions ---------------------------------------------------------------------------- */

/* Between hosts a call runs what the tuning decides, else the choice by price. */
static totum_status choose(const struct tt_problem *problem, const struct tt_placement *placement,
			   const struct tt_tuning *facts, char out[static TT_ALGORITHM_TEXT])
{
	struct tt_link_costs costs;
	struct tt_choice choice = {.algorithm = ""};
	const char *use = tt_tuning_find_use(facts, problem->collective, placement->nranks,
					     placement->nhosts, problem->bytes);
	totum_status status = TOTUM_OK;

	tt_tuning_costs(facts, &costs);
	if (placement->nhosts > 1 && !use)
		status = tt_choose(problem->collective, placement, problem->root, problem->bytes,
				   &costs, &choice);
	strcpy(out, placement->nhosts > 1 && use ? use : choice.algorithm);
	return status;
}

totum_status totum_predict(const char *text, const int hosts[], const totum_tuning *tuning,
			   totum_prediction *out)
{
	struct tt_link_costs costs;
	struct tt_prediction prediction;
	struct tt_problem problem;

	if (!text || !out)
		return tt_fail(TOTUM_EINVAL, "totum_predict: problem and out must not be NULL");
	totum_status status = tt_problem_parse(text, &problem);

	if (status)
		return status;
	if (problem.topology[0] || problem.alpha >= 0 || problem.beta > 0 || problem.links)
		return tt_fail(TOTUM_EINVAL,
			       "totum_predict: topo, alpha, beta and links come from hosts and "
			       "tuning; leave them out of the problem");
	struct tt_placement placement = tt_placement_packed(problem.nranks, 1);

	if (hosts)
		status = tt_placement_make(problem.nranks, hosts, &placement);
	if (!status && !problem.algorithm[0])
		status = choose(&problem, &placement, tuning ? tuning->facts : NULL,
				problem.algorithm);
	if (status) {
		tt_placement_free(&placement);
		return status;
	}
	const struct tt_question question = {.collective = problem.collective,
					     .nranks = problem.nranks,
					     .bytes = problem.bytes,
					     .root = problem.root,
					     .algorithm = problem.algorithm,
					     .placement = &placement,
					     .machine = tt_machine_default};

	tt_tuning_costs_at(tuning ? tuning->facts : NULL, problem.bytes,
			   problem.bytes / (uint64_t)problem.nranks, &costs);
	status = tt_predict(&question, &costs, &prediction);
	tt_placement_free(&placement);
	if (status)
		return status;
	*out = (totum_prediction){.seconds = prediction.latency +
					     prediction.per_byte * (double)problem.bytes,
				  .bound = prediction.bound_latency +
					   prediction.bound_per_byte * (double)problem.bytes};
	strcpy(out->algorithm, prediction.algorithm);
	return TOTUM_OK;
}
