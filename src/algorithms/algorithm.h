/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * algorithm.h - what an algorithm file defines, and how one is found.
 *
 * src/algorithms/<collective>/<name>.c defines `const struct tt_algorithm tt_<collective>_<name>`
 * and nothing that other files see.  The build makes the table from the folder: the path is the
 * symbol is the name.
 */
#ifndef TT_ALGORITHM_H
#define TT_ALGORITHM_H

#include "schedule/ir.h"
#include "schedule/placement.h"

enum { TT_PARAMETERS = 4 };

struct tt_parameter {
	const char *name;    /* NULL ends the list */
	const char *meaning; /* half a sentence for the user */
	int64_t low, high;   /* inclusive; high 0: up to nranks, or to low when that is more */
	int64_t fallback;    /* when the user gives none */
};

/* An exact non-negative fraction, in lowest terms. */
struct tt_fraction {
	int64_t over, under;
};

/* The claims of struct tt_algorithm in one. */
struct tt_cost {
	int64_t rounds;
	struct tt_fraction volume;
	int64_t ports;
};

/*
 * What changes when it is known which ranks share a host: the functions of struct tt_algorithm,
 * which then are those of a placement that the algorithm makes up.  parameters[0] tells it how many
 * hosts to make up even so; 0, its fallback, takes the placement.
 */
struct tt_placed_algorithm {
	const char *(*refuses)(const struct tt_placement *placement, const int64_t *values);
	void (*build)(struct tt_schedule *schedule, const struct tt_placement *placement,
		      const int64_t *values);
	int (*pieces)(const struct tt_placement *placement, const int64_t *values);
	struct tt_cost (*cost)(const struct tt_placement *placement, int64_t root,
			       const int64_t *values);
};

/*
 * values[i] is the value of parameters[i].  The claims are tested against the schedule for every
 * nranks and every parameter value, so they are formulas, not measurements:
 *   rounds  how many rounds;
 *   volume  the sum over rounds of the most blocks that one link carries, for equal shards
 *           (T = rounds*alpha + volume*M/(nranks*beta) when a rank drives `ports` links at once);
 *   ports   the most messages that a rank sends, or receives, in one round; one for each peer.
 */
struct tt_algorithm {
	const char *summary; /* half a sentence: the idea */
	struct tt_parameter parameters[TT_PARAMETERS + 1];
	/* NULL when it applies, else why not: "needs a power of two of ranks". */
	const char *(*refuses)(int64_t nranks, const int64_t *values);
	/* Fills a new schedule, which the caller seals; rooted ones read schedule->root. */
	void (*build)(struct tt_schedule *schedule, const int64_t *values);
	/* How many pieces each block is cut in; NULL means 1. */
	int (*pieces)(int64_t nranks, const int64_t *values);
	int64_t (*rounds)(int64_t nranks, const int64_t *values);
	struct tt_fraction (*volume)(int64_t nranks, const int64_t *values);
	int64_t (*ports)(int64_t nranks, const int64_t *values);
	/* Does it send ranks what they have? Then it has no reverse. NULL: never. */
	bool (*redundant)(int64_t nranks, const int64_t *values);
	/* build and cost, or all NULL: it makes no difference where the ranks are. */
	struct tt_placed_algorithm placed;
};

struct tt_algorithm_entry {
	enum tt_collective collective;
	const char *name;
	const struct tt_algorithm *algorithm;
};

/* The generated table, ordered by collective, then by name. */
extern const struct tt_algorithm_entry tt_algorithms[];
extern const int tt_nalgorithms;

/*
 * Does the algorithm make schedules of the collective: because it lies in its folder, or because
 * one can be derived from it?
 */
bool tt_algorithm_serves(const struct tt_algorithm_entry *entry, enum tt_collective collective);
/*
 * The algorithm of that name that serves the collective; one of its own folder goes before one to
 * derive from. NULL and a sentence (with the nearest name and all names) when there is none.
 */
const struct tt_algorithm_entry *tt_algorithm_find(enum tt_collective collective, const char *name);
/* The largest value that a parameter takes with nranks. */
int64_t tt_parameter_top(const struct tt_parameter *parameter, int64_t nranks);
/*
 * Reads "radix=3" style settings (comma separated, "" for none) into values[TT_PARAMETERS]; unknown
 * names and values out of range are TOTUM_EINVAL with a sentence.
 */
totum_status tt_algorithm_values(const struct tt_algorithm_entry *entry, int64_t nranks,
				 const char *settings, int64_t values[static TT_PARAMETERS]);
/* Both at once of a text "name" or "name,parameter=value", as problem strings have it. */
totum_status tt_algorithm_parse(enum tt_collective collective, const char *text, int64_t nranks,
				const struct tt_algorithm_entry **entry,
				int64_t values[static TT_PARAMETERS]);

enum { TT_ALGORITHM_TEXT = 96 };
/* The way back: the name, and the parameters that are not at their fallback. */
const char *tt_algorithm_format(const struct tt_algorithm_entry *entry,
				const int64_t values[static TT_PARAMETERS],
				char out[static TT_ALGORITHM_TEXT]);

/*
 * The sealed schedule of `collective` by an algorithm written "name" or "name,parameter=value": one
 * of its own folder, or derived:
 *   reduce_scatter  the all-gather reversed
 *   allreduce       the all-gather reversed, then the all-gather; or the same of a broadcast
 *   broadcast       the root sends each rank its block, then the all-gather
 *   reduce          the broadcast reversed; or the all-gather reversed, then blocks go to the root
 *   scatter         the gather reversed
 * TOTUM_EUNSUPPORTED when the algorithm refuses nranks, or has no reverse and needs one.
 */
totum_status tt_algorithm_build(enum tt_collective collective, const char *text, int64_t nranks,
				int root, struct tt_schedule **out);
/*
 * The same for ranks that share hosts as the placement, borrowed for the call, says; NULL: nothing
 * is known.  Equal arguments give equal schedules.  TOTUM_EINVAL when it has not nranks ranks.
 */
totum_status tt_algorithm_build_placed(enum tt_collective collective, const char *text,
				       int64_t nranks, int root,
				       const struct tt_placement *placement,
				       struct tt_schedule **out);

#endif
