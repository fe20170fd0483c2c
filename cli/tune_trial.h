/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_trial.h - one collective at one size by several algorithms, in turns: what was predicted
 * beside what it took.
 */
#ifndef TUNE_TRIAL_H
#define TUNE_TRIAL_H

#include "bench_formula.h"
#include "tune.h"

enum { TRIAL_FACTOR = 4 };                                      /* from size to size */
enum { TRIAL_MOST = 24, TRIAL_ROUNDS = 15, TRIAL_RANKS = 128 }; /* beyond, prices take long */

struct trial_entry {
	char name[96];              /* as totum_comm_configure takes it; "auto" too */
	double predicted;           /* seconds; 0: not known */
	double times[TRIAL_ROUNDS]; /* of a call, of the slowest rank, a round each */
	double typical;             /* their median */
};

struct trial {
	const struct bench_formula *formula;
	size_t count;
	uint64_t total; /* bytes M */
	int chosen;     /* entry of what an unforced call runs by the tuning; -1: not among them */
	int rounds, n;
	struct trial_entry entries[TRIAL_MOST];
};

/*
 * Lists what is worth a trial: the choice, what was asked for by name, and what is predicted to
 * take no more than a few times as long as the cheapest; cheapest first.  Rank 0's list counts, on
 * all ranks.  total: about so many bytes.
 */
totum_status trial_list(struct tune_job *job, const totum_tuning *tuning,
			const struct bench_formula *formula, uint64_t total, struct trial *out);
/* Another entry; nothing when there is no room, or it is there. */
void trial_add(struct trial *trial, const char *name, double predicted);
/* Measures all entries on comm, whose algorithm is `auto` afterwards. */
totum_status trial_measure(struct tune_job *job, totum_comm *comm, struct trial *trial);
/* The entry that took least, but "auto". */
int trial_best(const struct trial *trial);
/* The size behind this one: the last one ends the sweep, whatever the step to it; then 0. */
uint64_t trial_next(const struct tune_options *options, uint64_t size);
/* Does an entry take less than another one in so many rounds that it is no accident? */
bool trial_wins(const struct trial *trial, int entry, int other);
/* The median of the ratios, round by round, of one entry's times to another's. */
double trial_ratio(const struct trial *trial, int entry, int other);

#endif
