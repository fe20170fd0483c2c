/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_decide - where another algorithm than the one that prices choose is the faster one, as
 * measured, the tuning gets a decision for it.
 *
 * Sizes go up by factors of four, and a decision holds halfway to their neighbours.  Faster is what
 * gains 5% by the median of all rounds and wins most of them, and does so again when the two are
 * measured alone, since the best of many by accident is not so twice: less may be noise, and costs
 * as little.  A decision is kept from one size to the next where it is as good as the best there.
 */
#include "tune_trial.h"

#include <stdlib.h>
#include <string.h>

enum { NOTE = 200 };

static const double sure = 0.95, as_good = 1.03;

struct sweep {
	struct tune_job *job;
	const struct bench_formula *formula;
	uint64_t end;  /* of what the size before has decided */
	totum_use use; /* that grows; without an algorithm: none */
	char algorithm[96], note[NOTE];
};

/* Is an entry faster than the choice, and no accident? */
static bool wins(const struct trial *trial, int entry)
{
	return trial_wins(trial, entry, trial->chosen) &&
	       trial_ratio(trial, entry, trial->chosen) < sure;
}

/* The entry to decide for, or -1. */
static int winner(const struct trial *trial, const char *before)
{
	int best = trial->chosen;
	double least = 1;

	for (int i = 0; i < trial->n; i++) {
		double ratio = trial_ratio(trial, i, trial->chosen);

		if (ratio < least) {
			least = ratio;
			best = i;
		}
	}
	if (best == trial->chosen || !wins(trial, best))
		return -1;
	for (int i = 0; i < trial->n; i++)
		if (!strcmp(trial->entries[i].name, before) && wins(trial, i) &&
		    trial_ratio(trial, i, trial->chosen) <= as_good * least)
			best = i;
	return best;
}

/* What rank 0 says, on all ranks. */
static totum_status hear(struct tune_job *job, int *entry)
{
	int32_t told = *entry;
	totum_status status = totum_broadcast(&told, &told, 1, TOTUM_I32, 0, job->comm);

	*entry = told;
	return status;
}

/* Finds the winner of a trial, if there is one: then pair has the choice and, behind it, that. */
static totum_status find_winner(const struct sweep *sweep, totum_comm *comm,
				const struct trial *trial, struct trial *pair, bool *found)
{
	int entry = trial->chosen < 0 ? -1 : winner(trial, sweep->algorithm);
	totum_status status = hear(sweep->job, &entry);

	*found = false;
	if (status || entry < 0)
		return status;
	*pair = *trial;
	pair->chosen = 0;
	pair->n = 2;
	pair->entries[0] = trial->entries[trial->chosen];
	pair->entries[1] = trial->entries[entry];
	status = trial_measure(sweep->job, comm, pair);
	entry = wins(pair, 1);
	if (!status)
		status = hear(sweep->job, &entry);
	*found = entry;
	return status;
}

static void note(struct sweep *sweep, const struct trial *pair)
{
	const struct trial_entry *chosen = &pair->entries[0];
	size_t length = strlen(sweep->note);

	snprintf(sweep->note + length, sizeof sweep->note - length,
		 "%s%lluB %.3gus, by price %s %.3gus", length ? "; " : "",
		 (unsigned long long)pair->total, 1e6 * pair->entries[1].typical, chosen->name,
		 1e6 * chosen->typical);
}

static totum_status flush(struct sweep *sweep, totum_tuning *tuning)
{
	if (!sweep->algorithm[0])
		return TOTUM_OK;
	sweep->use.algorithm = sweep->algorithm;
	sweep->use.note = sweep->note;
	totum_status status = totum_tuning_use(tuning, &sweep->use);

	sweep->algorithm[0] = sweep->note[0] = 0;
	return status;
}

/* What holds from the end of the size before on; pair: NULL where prices are right. */
static totum_status take(struct sweep *sweep, const struct trial *pair, uint64_t size,
			 totum_tuning *tuning)
{
	uint64_t next = trial_next(sweep->job->options, size), high = size * (TRIAL_FACTOR / 2);
	const char *name = pair ? pair->entries[1].name : "";
	totum_status status = TOTUM_OK;

	if (strcmp(name, sweep->algorithm)) {
		status = flush(sweep, tuning);
		sweep->use.low = sweep->end + 1;
		snprintf(sweep->algorithm, sizeof sweep->algorithm, "%.*s",
			 (int)sizeof sweep->algorithm - 1, name);
	}
	sweep->use.high = sweep->end = next && next <= high ? next - 1 : high;
	if (pair)
		note(sweep, pair);
	return status;
}

static totum_status decide(struct sweep *sweep, totum_comm *comm, totum_tuning *tuning,
			   struct trial trials[static 2])
{
	struct tune_job *job = sweep->job;
	totum_status status = TOTUM_OK;
	bool found;

	for (uint64_t size = job->options->first; size && !status;
	     size = trial_next(job->options, size)) {
		status = trial_list(job, tuning, sweep->formula, size, &trials[0]);
		if (!status)
			status = trial_measure(job, comm, &trials[0]);
		if (!status)
			status = find_winner(sweep, comm, &trials[0], &trials[1], &found);
		if (!status)
			status = take(sweep, found ? &trials[1] : NULL, size, tuning);
	}
	return status ? status : flush(sweep, tuning);
}

totum_status tune_decide(struct tune_job *job, totum_tuning *tuning)
{
	const struct tune_options *options = job->options;
	struct trial *trials = calloc(2, sizeof *trials);
	totum_comm *comm = NULL;
	totum_status status = trials ? totum_comm_dup(job->comm, &comm) : TOTUM_EMEMORY;

	for (int i = 0; i < options->ncollectives && !status; i++) {
		struct sweep sweep = {.job = job,
				      .formula = bench_formula_find(options->collectives[i]),
				      .use = {.collective = options->collectives[i],
					      .nranks = job->nranks,
					      .nhosts = job->nhosts}};

		status = decide(&sweep, comm, tuning, trials);
	}
	totum_comm_free(comm);
	free(trials);
	return status;
}
