/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_arguments - the command line of `totum bench`: the options of nccl-tests under their
 * letters, but for -n, which is the number of ranks here as everywhere in totum.
 */
#include "bench_arguments.h"
#include "nearest.h"
#include "options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ITERS = 0x100, KEY_BATCH, KEY_FRESH, KEY_ALGORITHM, KEY_CSV, KEY_BIND, KEY_STATS };

enum { MOST = 1000000 };

struct arguments {
	struct bench_options *all;
	bool step_given, factor_given, end_given, op_given, root_given;
};

static const struct argp_option argp_options[] = {
	{"nranks", 'n', "N", 0, "Start N ranks, 1 to 4096; not under a launcher, which has", 0},
	{"minbytes", 'b', "SIZE", 0, "Smallest total bytes, like 64 or 4K (default 64)", 0},
	{"maxbytes", 'e', "SIZE", 0, "Largest total bytes (default 64M)", 0},
	{"stepbytes", 'i', "SIZE", 0, "Add this from size to size", 0},
	{"stepfactor", 'f', "K", 0, "Multiply by this from size to size (default 4)", 0},
	{"datatype", 'd', "TYPE", 0, "f32 (default), u8, bf16, ... or float, half, int32, ...", 0},
	{"op", 'o', "OP", 0, "Reduce by sum (default), prod, min, max, avg, band, ...", 0},
	{"root", 'r', "RANK", 0, "Root of broadcast, reduce, gather and scatter (default 0)", 0},
	{"iters", KEY_ITERS, "N", 0, "Iterations (default: 20 to 200, as many as fit 0.1 s)", 0},
	{"warmup_iters", 'w', "N", 0, "Calls before the first iteration (default 5)", 0},
	{"warmup", 'w', NULL, OPTION_ALIAS, NULL, 0},
	{"batch", KEY_BATCH, "N", 0,
	 "Calls back to back in an iteration (default: as many as take 100 us)", 0},
	{"fresh", KEY_FRESH, NULL, 0, "Rewrite the inputs before each iteration, outside the clock",
	 0},
	{"check", 'c', "N", 0, "Checked calls for each size and place, 0: none (default 1)", 0},
	{"algorithm", KEY_ALGORITHM, "NAME[,PARAMETER=VALUE]", 0,
	 "Force an algorithm, like ring or bruck,radix=3", 0},
	{"local_register", 'R', "0|1", 0, "1: buffers that peers can read, from totum_alloc", 0},
	{"timeout", 'T', "TIME", 0, "Fail when a call waits longer, like 10s or 10 (seconds)", 0},
	{"bind-to", KEY_BIND, "WHAT", 0,
	 "core: rank i on the i-th allowed cpu, round and round; none (default)", 0},
	{"stats", KEY_STATS, NULL, 0, "Print what each rank counted: calls, bytes, waits", 0},
	{"json", 'J', "FILE", 0, "Write the figures as JSON; -: to the standard output", 0},
	{"csv", KEY_CSV, "FILE", 0, "Write the figures as CSV; -: to the standard output", 0},
	{0},
};

static uint64_t bytes_of(const char *option, const char *arg, struct argp_state *state)
{
	uint64_t bytes = 0;

	if (!option_bytes(arg, &bytes))
		argp_error(state, "%s: %s", option, option_error());
	return bytes;
}

static long integer_of(const char *option, const char *arg, long low, long high,
		       struct argp_state *state)
{
	long value = 0;

	if (!option_int(arg, low, high, &value))
		argp_error(state, "%s: %s", option, option_error());
	return value;
}

/* Our names, and those of nccl-tests. */
static totum_dtype dtype_of(const char *arg, struct argp_state *state)
{
	static const struct {
		const char *name;
		totum_dtype dtype;
	} others[] = {
		{"int8", TOTUM_I8},       {"uint8", TOTUM_U8},      {"int32", TOTUM_I32},
		{"uint32", TOTUM_U32},    {"int64", TOTUM_I64},     {"uint64", TOTUM_U64},
		{"half", TOTUM_F16},      {"float", TOTUM_F32},     {"double", TOTUM_F64},
		{"bfloat16", TOTUM_BF16}, {"f8e4m3", TOTUM_F8E4M3}, {"f8e5m2", TOTUM_F8E5M2},
	};
	totum_dtype dtype = TOTUM_F32;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(arg, others[i].name))
			return others[i].dtype;
	if (totum_dtype_parse(arg, &dtype))
		argp_error(state, "-d: %s", totum_errmsg());
	return dtype;
}

static void set_collective(struct arguments *given, const char *arg, struct argp_state *state)
{
	const char *best = NULL;
	int away = NEAREST_FAR;

	if (given->all->formula)
		argp_error(state, "'%.40s' is one too many: one collective is timed", arg);
	given->all->formula = bench_formula_find(arg);
	if (given->all->formula)
		return;
	for (const struct bench_formula *formula = bench_formulas; formula->name; formula++)
		if (nearest_distance(arg, formula->name) < away) {
			best = formula->name;
			away = nearest_distance(arg, best);
		}
	if (best)
		argp_error(state, "there is no collective '%.40s'; did you mean '%s'?", arg, best);
	argp_error(state,
		   "there is no collective '%.40s': one of allgather, reduce_scatter, "
		   "allreduce, broadcast, reduce, gather, scatter, alltoall, barrier",
		   arg);
}

static void set_timeout(struct arguments *given, const char *arg, struct argp_state *state)
{
	char *end;
	long seconds = strtol(arg, &end, 10);

	if (*arg >= '0' && *arg <= '9' && !*end) /* as nccl-tests has it */
		given->all->timeout = (double)seconds;
	else if (!option_seconds(arg, &given->all->timeout))
		argp_error(state, "-T: %s", option_error());
}

static void set_bind(struct arguments *given, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {
		[LAUNCH_BIND_NONE] = "none", [LAUNCH_BIND_CORE] = "core", NULL};
	int choice;

	if (!option_choice(arg, names, &choice))
		argp_error(state, "--bind-to: %s", option_error());
	given->all->bind = (enum launch_bind)choice;
}

/* What only the whole of the options shows to be wrong. */
static void finish(struct arguments *given, struct argp_state *state)
{
	struct bench_options *all = given->all;

	if (!all->formula)
		argp_error(state, "which collective? Give one like: totum bench allgather -n 4");
	run_hosts_check(&all->hosts, &all->nranks, state);
	if (given->step_given && given->factor_given)
		argp_error(state, "-i and -f are two ways to step: give one");
	if (!given->end_given && all->last < all->first)
		all->last = all->first;
	if (all->first > all->last)
		argp_error(state, "-b is larger than -e: sizes go up from -b to -e");
	if (given->op_given && !all->formula->reduces)
		argp_error(state, "-o: %s does not reduce; leave it out", all->formula->name);
	if (given->root_given && !all->formula->rooted)
		argp_error(state, "-r: %s has no root; leave it out", all->formula->name);
	if (all->formula->reduces && !bench_reducible(all->dtype, all->op))
		argp_error(state,
			   "%s is no reduction of %s: bit and logical operations take "
			   "integers and bool, avg takes all but bool",
			   totum_op_name(all->op), totum_dtype_name(all->dtype));
	if (all->plan.fresh && all->plan.batch > 1)
		argp_error(state,
			   "--fresh rewrites the inputs before every call: leave --batch out");
	if (all->json && all->csv && !strcmp(all->json, "-") && !strcmp(all->csv, "-"))
		argp_error(state, "--json and --csv cannot both go to the standard output");
}

static error_t parse_sizes(int key, char *arg, struct argp_state *state)
{
	struct arguments *given = state->input;
	struct bench_options *all = given->all;

	switch (key) {
	case 'b':
		all->first = bytes_of("-b", arg, state);
		return 0;
	case 'e':
		all->last = bytes_of("-e", arg, state);
		given->end_given = true;
		return 0;
	case 'i':
		all->step = bytes_of("-i", arg, state);
		if (!all->step)
			argp_error(state, "-i: a step of 0 bytes leads nowhere; give 1 or more");
		given->step_given = true;
		return 0;
	case 'f':
		all->factor = integer_of("-f", arg, 2, MOST, state);
		given->factor_given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_method(int key, char *arg, struct argp_state *state)
{
	struct arguments *given = state->input;
	struct bench_options *all = given->all;

	switch (key) {
	case KEY_ITERS:
		all->plan.iterations = integer_of("--iters", arg, 1, MOST, state);
		return 0;
	case 'w':
		all->plan.warmup = integer_of("-w", arg, 0, MOST, state);
		return 0;
	case KEY_BATCH:
		all->plan.batch = integer_of("--batch", arg, 1, MOST, state);
		return 0;
	case KEY_STATS:
		all->stats = true;
		return 0;
	case KEY_FRESH:
		all->plan.fresh = true;
		return 0;
	case 'c':
		all->checks = integer_of("-c", arg, 0, MOST, state);
		return 0;
	case KEY_ALGORITHM:
		all->algorithm = arg;
		return 0;
	case 'R':
		all->shared_buffers = integer_of("-R", arg, 0, 1, state);
		return 0;
	case 'T':
		set_timeout(given, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *given = state->input;
	struct bench_options *all = given->all;

	switch (key) {
	case 'n':
		all->nranks = (int)integer_of("-n", arg, 1, LAUNCH_MAX_RANKS, state);
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &all->hosts;
		return 0;
	case 'd':
		all->dtype = dtype_of(arg, state);
		return 0;
	case 'o':
		if (totum_op_parse(arg, &all->op))
			argp_error(state, "-o: %s", totum_errmsg());
		given->op_given = true;
		return 0;
	case 'r':
		all->root = (int)integer_of("-r", arg, 0, LAUNCH_MAX_RANKS - 1, state);
		given->root_given = true;
		return 0;
	case KEY_BIND:
		set_bind(given, arg, state);
		return 0;
	case 'J':
		all->json = arg;
		return 0;
	case KEY_CSV:
		all->csv = arg;
		return 0;
	case ARGP_KEY_ARG:
		set_collective(given, arg, state);
		return 0;
	case ARGP_KEY_END:
		finish(given, state);
		return 0;
	default:
		return parse_sizes(key, arg, state) ? parse_method(key, arg, state) : 0;
	}
}

void bench_arguments(int argc, char **argv, struct bench_options *out)
{
	static const struct argp_child children[] = {{&run_hosts_argp, 0, "On several hosts:", 1},
						     {0}};
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "COLLECTIVE",
		.children = children,
		.doc = "Time a collective over a range of sizes, check every byte, and compare "
		       "with "
		       "what copying alone costs."
		       "\vCOLLECTIVE is allgather, reduce_scatter, allreduce, broadcast, reduce, "
		       "gather, scatter, alltoall or barrier.  A SIZE is the total bytes M of a "
		       "call; K, M and G are powers of 1024.  The options are those of "
		       "nccl-tests, but -n is the number of ranks.  Exit code 1: a result was "
		       "wrong.",
	};
	struct arguments given = {.all = out};

	*out = (struct bench_options){
		.first = 64,
		.last = 64 << 20,
		.factor = 4,
		.plan = {.warmup = 5},
		.checks = 1,
		.dtype = TOTUM_F32,
		.op = TOTUM_SUM,
	};
	argp_parse(&argp, argc, argv, 0, NULL, &given);
}
