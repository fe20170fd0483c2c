/* SPDX-License-Identifier: BSD-3-Clause */
/* simulation - a simulation as text: head, time beside its bound; on request rounds and links. */
#include "draw/simulation.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "draw/grid.h"
#include "proof/machine.h"
#include "topology/measure.h"

enum { DIGITS = 7 };

static void write_head(const struct tt_simulated *simulated, FILE *out)
{
	const struct tt_schedule *schedule = simulated->schedule;
	char bytes[TT_UNITS_TEXT];

	fprintf(out, "%s by %s on %s: %" PRId64 " rank%s, %s in all",
		tt_collective_name(schedule->collective),
		*schedule->name ? schedule->name : "a schedule",
		simulated->topology ? simulated->topology->name
				    : tt_shape_name(simulated->shape->kind),
		schedule->nranks, schedule->nranks == 1 ? "" : "s",
		tt_format_bytes(simulated->bytes, bytes));
	if (simulated->bytes % (uint64_t)schedule->nranks == 0)
		fprintf(out, ", %s a rank",
			tt_format_bytes(simulated->bytes / (uint64_t)schedule->nranks, bytes));
	fprintf(out, "; model %s%s%s\n", simulated->model, simulated->split ? ", ties split" : "",
		simulated->overlap ? ", alphas overlap" : "");
}

static void write_time(const struct tt_simulated *simulated, FILE *out)
{
	const struct tt_simulation *result = &simulated->result;
	char text[TT_UNITS_TEXT], fraction[TT_FRACTION_TEXT], rate[TT_UNITS_TEXT];
	double latency = (double)result->latency / (double)TT_PICOSECONDS;

	fprintf(out, "time   %s", tt_short_seconds(result->seconds, DIGITS, text));
	if (tt_fraction_valid(result->volume)) {
		fprintf(out, " = %s", tt_short_seconds(latency, DIGITS, text));
		fprintf(out, " + %s", tt_short_seconds(result->seconds - latency, DIGITS, text));
	}
	if (simulated->bound > 0)
		fprintf(out, ", %.4f of the bound %s", result->seconds / simulated->bound,
			tt_short_seconds(simulated->bound, DIGITS, text));
	fprintf(out, "\nrounds %" PRId64 ", %" PRId64 " messages\n", result->rounds,
		result->messages);
	if (tt_fraction_valid(result->volume)) {
		double lambda = tt_fraction_value(simulated->limits.bound->lambda_unit);

		fprintf(out, "volume %s blocks per %s on the busiest link, ",
			tt_fraction_text(result->volume, fraction),
			tt_write_capacity(result->unit, rate));
		fprintf(out, "lambda %s",
			tt_fraction_text(simulated->limits.bound->lambda_unit, fraction));
		if (lambda > 0)
			fprintf(out, ", ratio %.4f", tt_fraction_value(result->volume) / lambda);
		fputc('\n', out);
	}
	fprintf(out, "limit  %s\n", simulated->limits.bound->sentence);
}

static void write_link(const struct tt_topology *topology, int32_t link, FILE *out)
{
	fprintf(out, "%s>%s", topology->vertices[topology->links[link].from].name,
		topology->vertices[topology->links[link].to].name);
}

static void write_numbers(const struct tt_recorded_round *round, FILE *out)
{
	fprintf(out, "%" PRId64, round->first);
	if (round->count > 1)
		fprintf(out, "-%" PRId64, round->first + round->count - 1);
}

/* The load model knows links; in the flow model a round has only its messages and its time. */
static totum_status write_rounds(const struct tt_simulated *simulated, FILE *out)
{
	static const char *const titles[] = {"round",   "messages", "time",
					     "latency", "load",     "busiest"};
	enum { COLUMNS = sizeof titles / sizeof *titles, WITHOUT_LINKS = 3 };
	int columns = tt_fraction_valid(simulated->result.volume) ? COLUMNS : WITHOUT_LINKS;
	struct tt_grid *grid;
	char text[TT_UNITS_TEXT], fraction[TT_FRACTION_TEXT];
	totum_status status = tt_grid_new(columns, &grid);

	if (status)
		return status;
	for (int i = 0; i < columns; i++) {
		fputs(titles[i], tt_grid_cell(grid));
		if (i > 0 && i < COLUMNS - 1)
			tt_grid_right(grid, i);
	}
	for (int64_t i = 0; i < simulated->recording.nrounds; i++) {
		const struct tt_recorded_round *round = &simulated->recording.rounds[i];

		write_numbers(round, tt_grid_cell(grid));
		fprintf(tt_grid_cell(grid), "%" PRId64, round->messages);
		fputs(tt_short_seconds(round->seconds, DIGITS, text), tt_grid_cell(grid));
		if (columns < COLUMNS)
			continue;
		fputs(tt_write_latency(round->latency, text), tt_grid_cell(grid));
		fputs(tt_fraction_text(round->load, fraction), tt_grid_cell(grid));
		FILE *cell = tt_grid_cell(grid);
		if (round->busiest >= 0)
			write_link(simulated->topology, round->busiest, cell);
	}
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	return status;
}

struct loaded {
	int64_t load;
	int32_t link;
};

static int compare_loaded(const void *a, const void *b)
{
	const struct loaded *x = a, *y = b;

	if (x->load != y->load)
		return x->load > y->load ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

/* "round 2, 4 blocks: r0>r1 r1>r2 ..", the greatest loads first. */
static totum_status write_loads(const struct tt_simulated *simulated, FILE *out)
{
	const struct tt_topology *topology = simulated->topology;
	struct loaded *loaded = malloc((size_t)(topology->nlinks + 1) * sizeof *loaded);
	char fraction[TT_FRACTION_TEXT];

	if (!loaded)
		return tt_fail_memory((size_t)topology->nlinks * sizeof *loaded, "link loads");
	for (int64_t i = 0; i < simulated->recording.nrounds; i++) {
		const struct tt_recorded_round *round = &simulated->recording.rounds[i];
		int64_t n = 0;

		for (int32_t l = 0; round->loads && l < topology->nlinks; l++)
			if (round->loads[l])
				loaded[n++] = (struct loaded){round->loads[l], l};
		qsort(loaded, (size_t)n, sizeof *loaded, compare_loaded);
		for (int64_t j = 0; j < n; j++) {
			if (!j || loaded[j].load != loaded[j - 1].load) {
				fputs(j ? "\nround " : "round ", out);
				write_numbers(round, out);
				fprintf(out, ", %s blocks:",
					tt_fraction_text(
						tt_fraction_of(loaded[j].load, round->scale),
						fraction));
			}
			fputc(' ', out);
			write_link(topology, loaded[j].link, out);
		}
		fputs(n ? "\n" : "", out);
	}
	free(loaded);
	return TOTUM_OK;
}

totum_status tt_draw_simulation(const struct tt_simulated *simulated, FILE *out)
{
	totum_status status = TOTUM_OK;

	write_head(simulated, out);
	write_time(simulated, out);
	if (simulated->list_rounds)
		status = write_rounds(simulated, out);
	if (!status && simulated->list_loads)
		status = write_loads(simulated, out);
	return status;
}
