/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * costs - a table for each collective: an algorithm a row, and a row more for parameter values that
 * change its costs.
 *
 * Formulas are found by trying (formula.h), and hold for every N up to MOST_RANKS that the
 * algorithm runs on; where none fits, some values are given instead.
 */
#include "draw/costs.h"

#include <inttypes.h>
#include <string.h>

#include "draw/formula.h"
#include "draw/grid.h"
#include "proof/price.h"

/* The introduction names the first and the last of these. */
enum { MOST_RANKS = 257, OTHER_VALUES = 2, EXAMPLES = 4, COMPARED_FROM = 8 };

/* One row: what is sampled, for all N that the algorithm runs on. */
struct row {
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	struct tt_samples rounds, volume, ports;
	int least_rounds, least_volume, compared; /* for how many N it cannot be less */
	const char *needs;                        /* why not for some N, or NULL */
};

static void add(struct tt_samples *samples, int64_t nranks, struct tt_fraction value)
{
	samples->nranks[samples->count] = nranks;
	samples->value[samples->count++] = value;
}

static void sample(struct row *row)
{
	const struct tt_algorithm *algorithm = row->entry->algorithm;

	for (int64_t n = 2; n <= MOST_RANKS; n++) {
		const char *why = algorithm->refuses ? algorithm->refuses(n, row->values) : NULL;

		if (why) {
			row->needs = row->needs ? row->needs : why;
			continue;
		}
		int64_t rounds = algorithm->rounds(n, row->values),
			ports = algorithm->ports(n, row->values);
		struct tt_fraction volume = algorithm->volume(n, row->values);
		struct tt_price least = tt_price_least(row->entry->collective, n, ports, ports);

		add(&row->rounds, n, (struct tt_fraction){rounds, 1});
		add(&row->ports, n, (struct tt_fraction){ports, 1});
		add(&row->volume, n, volume);
		if (n < COMPARED_FROM)
			continue;
		row->compared++;
		row->least_rounds += rounds == least.rounds;
		row->least_volume += tt_fraction_compare(volume, least.volume) == 0;
	}
}

static bool same_samples(const struct tt_samples *a, const struct tt_samples *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
		if (a->nranks[i] != b->nranks[i] || tt_fraction_compare(a->value[i], b->value[i]))
			return false;
	return true;
}

static bool same_costs(const struct row *a, const struct row *b)
{
	return same_samples(&a->rounds, &b->rounds) && same_samples(&a->volume, &b->volume) &&
	       same_samples(&a->ports, &b->ports);
}

/* "3, 10, 30 at N = 4, 8, 16": powers of two where there are some. */
static void write_examples(const struct tt_samples *samples, FILE *out)
{
	int chosen[EXAMPLES], count = 0;
	char text[TT_FRACTION_TEXT];

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < samples->count && count < EXAMPLES; i++) {
			int64_t n = samples->nranks[i];
			bool power = (n & (n - 1)) == 0;

			if (n >= 4 &&
			    (pass ? !count || n > samples->nranks[chosen[count - 1]] : power))
				chosen[count++] = i;
		}
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			tt_fraction_text(samples->value[chosen[i]], text));
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%" PRId64, i ? ", " : " at N = ", samples->nranks[chosen[i]]);
}

static void write_samples(const struct tt_samples *samples, FILE *out)
{
	char formula[TT_FORMULA_TEXT];

	if (tt_formula_find(samples, formula))
		fputs(formula, out);
	else
		write_examples(samples, out);
}

static void write_share(int count, int of, FILE *out)
{
	fputs(count == of ? "yes" : count ? "sometimes" : "no", out);
}

static void write_row(const struct row *row, struct tt_grid *grid)
{
	static const char needs[] = "needs ";
	char name[TT_ALGORITHM_TEXT];

	fputs(tt_algorithm_format(row->entry, row->values, name), tt_grid_cell(grid));
	write_samples(&row->rounds, tt_grid_cell(grid));
	write_samples(&row->volume, tt_grid_cell(grid));
	write_samples(&row->ports, tt_grid_cell(grid));
	write_share(row->least_rounds, row->compared, tt_grid_cell(grid));
	write_share(row->least_volume, row->compared, tt_grid_cell(grid));
	FILE *cell = tt_grid_cell(grid);

	if (!row->needs)
		fputs("any N", cell);
	else
		fputs(row->needs + (strncmp(row->needs, needs, strlen(needs)) ? 0 : strlen(needs)),
		      cell);
}

/*
 * The defaults, then each parameter in turn with its lowest other values, where that changes
 * something.
 */
static void write_rows(const struct tt_algorithm_entry *entry, struct tt_grid *grid)
{
	const struct tt_parameter *parameters = entry->algorithm->parameters;
	struct row usual = {.entry = entry};

	for (int i = 0; i < TT_PARAMETERS && parameters[i].name; i++)
		usual.values[i] = parameters[i].fallback;
	sample(&usual);
	write_row(&usual, grid);
	for (int i = 0; i < TT_PARAMETERS && parameters[i].name; i++) {
		int64_t top = tt_parameter_top(&parameters[i], MOST_RANKS);
		struct row last = usual;
		int written = 0;

		for (int64_t value = parameters[i].low; value <= top && written < OTHER_VALUES;
		     value++) {
			struct row row = {.entry = entry};

			if (value == parameters[i].fallback)
				continue;
			memcpy(row.values, usual.values, sizeof row.values);
			row.values[i] = value;
			written++;
			sample(&row);
			if (row.compared && !same_costs(&row, &last) && !same_costs(&row, &usual))
				write_row(&row, grid);
			last = row;
		}
	}
}

static totum_status write_table(enum tt_collective collective, FILE *out)
{
	static const char *const titles[] = {"algorithm",    "rounds",  "W",      "links",
					     "least rounds", "least W", "runs on"};
	enum { COLUMNS = sizeof titles / sizeof *titles };
	struct tt_grid *grid;
	totum_status status = tt_grid_new(COLUMNS, &grid);

	if (status)
		return status;
	for (int i = 0; i < COLUMNS; i++)
		fputs(titles[i], tt_grid_cell(grid));
	for (int i = 0; i < tt_nalgorithms; i++)
		if (tt_algorithms[i].collective == collective)
			write_rows(&tt_algorithms[i], grid);
	status = tt_grid_print(grid, TT_GRID_MARKDOWN, out);
	tt_grid_free(grid);
	return status;
}

static const char introduction[] =
	"# What the algorithms cost\n"
	"\n"
	"Made by `totum show --costs` from what the algorithms claim about themselves; the\n"
	"tests hold the claims against the schedules, and this page against the claims.\n"
	"\n"
	"N ranks gather M bytes in all, in equal shards. A message takes alpha seconds, and a\n"
	"byte 1/beta more. With a link for each message that a rank sends at once, which nobody\n"
	"else uses,\n"
	"\n"
	"    T = rounds * alpha + W * M/(N beta)\n"
	"\n"
	"- **W**, the volume: blocks of M/N on the busiest link, summed over the rounds.\n"
	"- **links**: how many a rank drives at once, sending and receiving on each.\n"
	"- **least**: no algorithm with as many links can have fewer, from N = 8 on; see\n"
	"  `totum plan PROBLEM --explain`.\n"
	"- Formulas hold for every N from 2 to 257 that the algorithm runs on; where none was\n"
	"  found there are values.\n"
	"- Of an algorithm with parameters there is a line for the defaults, and for a few other\n"
	"  values that change a cost; `totum show --list` explains the parameters.\n";

static const char derived[] =
	"\n"
	"## Derived collectives\n"
	"\n"
	"What has no algorithm of its own is made from one of the above:\n"
	"\n"
	"- reduce-scatter is an all-gather backwards, with the receiver adding: the same rounds,\n"
	"  W and links, and each block that arrives is added once;\n"
	"- all-reduce is that reduce-scatter, then the all-gather: twice the rounds and W;\n"
	"- reduce is a broadcast backwards, scatter a gather backwards;\n"
	"- broadcast is also a direct scatter, then an all-gather; reduce the same backwards.\n";

static const char over_hosts[] =
	"\n"
	"## Over hosts\n"
	"\n"
	"`hierarchical` is made for ranks that share hosts, H of them, in any placement: those of\n"
	"the topology (`totum plan allgather:topo=2x4`), or as many as `hosts` says, packed. In\n"
	"the tables above about as many hosts as ranks on each are made up.\n"
	"\n"
	"- **all-gather**: each byte enters a host once, and all of its ranks carry equal shares\n"
	"  of what comes in; where hosts differ in size, blocks are cut in pieces for that. What\n"
	"  came in is handed on inside in the next round, while the next exchange between hosts\n"
	"  goes on: c R + 1 rounds with c `parts`, R = H-1 (`outer=0`: a ring of hosts; 1: "
	"direct)\n"
	"  or ceil(log2 H) (2: Bruck). Parts hide the hand-on even between two hosts.\n"
	"- **broadcast**: the buffer enters each host once, down a binomial tree of hosts\n"
	"  (`tree=0`) for few bytes, or along a chain (1) in many `parts` for many; over all "
	"ranks\n"
	"  of a host, or over `one`, which saves the round in which the root shares out.\n"
	"- **gather**: one message from each host, for many small blocks; large ones go direct, "
	"as\n"
	"  do those of an all-to-all: each byte crosses once anyway.\n";

totum_status tt_draw_costs(FILE *out)
{
	fputs(introduction, out);
	for (enum tt_collective collective = 0; collective < TT_COLLECTIVES; collective++) {
		bool any = false;

		for (int i = 0; i < tt_nalgorithms; i++)
			any |= tt_algorithms[i].collective == collective;
		if (!any)
			continue;
		fprintf(out, "\n## %s\n\n", tt_collective_name(collective));
		totum_status status = write_table(collective, out);

		if (status)
			return status;
	}
	fputs(derived, out);
	fputs(over_hosts, out);
	tt_draw_statements(out);
	return TOTUM_OK;
}
