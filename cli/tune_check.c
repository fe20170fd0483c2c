/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_check - a tuning file against what calls take: predicted and measured of each algorithm, and
 * whether the choice is the best of them.
 *
 * What is off by more than 15% from 64 KiB on, and a choice that takes more than 1.1 times the
 * best, is marked with a star; marks are no failure, since times are of a machine and its day.
 */
#include "tune_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 64 << 10 };

static const double close_enough = 0.15, near_best = 1.1;

struct tally {
	long points, within, sizes, best, noise;
	double worst, ratio; /* error, of held sizes; choice over best */
	char where[200], which[200];
};

/* The entry of an unforced call, and that of the same algorithm by its name; -1: there is none. */
struct choice {
	int unforced, named;
};

/* What the choice took: both are the same program. */
static double choice_takes(const struct trial *trial, struct choice choice)
{
	double unforced = trial->entries[choice.unforced].typical;

	return choice.named < 0 ? unforced : (unforced + trial->entries[choice.named].typical) / 2;
}

/* Is the best one faster than the choice in most rounds, under both names? */
static bool beaten(const struct trial *trial, struct choice choice, int best)
{
	return trial_wins(trial, best, choice.unforced) &&
	       (choice.named < 0 || trial_wins(trial, best, choice.named));
}

static void print_size(const struct tune_job *job, const struct trial *trial, struct choice choice,
		       struct tally *tally)
{
	int best = trial_best(trial);
	bool same = best == choice.named;
	double ratio = same ? 1 : choice_takes(trial, choice) / trial->entries[best].typical;
	bool near = ratio <= near_best, noise = !near && !beaten(trial, choice, best);

	printf("%-14s %10llu  chosen %s, best %s: %.2f%s\n", trial->formula->name,
	       (unsigned long long)trial->total, totum_comm_algorithm(job->checked),
	       trial->entries[best].name, ratio,
	       near    ? ""
	       : noise ? " ~"
		       : " *");
	tally->sizes++;
	tally->best += near;
	tally->noise += noise;
	if (!noise && ratio > tally->ratio) {
		tally->ratio = ratio;
		snprintf(tally->which, sizeof tally->which, "%s of %llu bytes",
			 trial->formula->name, (unsigned long long)trial->total);
	}
}

static void print_entry(const struct trial *trial, const struct trial_entry *entry,
			struct tally *tally)
{
	double error = entry->typical / entry->predicted - 1;
	bool held = trial->total >= HELD, off = fabs(error) > close_enough;

	printf("%-14s %10llu  %-28s %12.1f %12.1f %+8.0f%%%s\n", trial->formula->name,
	       (unsigned long long)trial->total, entry->name, 1e6 * entry->predicted,
	       1e6 * entry->typical, 100 * error, held && off ? " *" : "");
	if (!held)
		return;
	tally->points++;
	tally->within += !off;
	if (fabs(error) > tally->worst) {
		tally->worst = fabs(error);
		snprintf(tally->where, sizeof tally->where, "%s of %llu bytes by %s",
			 trial->formula->name, (unsigned long long)trial->total, entry->name);
	}
}

static struct choice choice_of(const struct tune_job *job, const struct trial *trial)
{
	struct choice choice = {0, -1};

	for (int i = 0; i < trial->n; i++) {
		if (!strcmp(trial->entries[i].name, "auto"))
			choice.unforced = i;
		if (!strcmp(trial->entries[i].name, totum_comm_algorithm(job->checked)))
			choice.named = i;
	}
	return choice;
}

static totum_status check_size(struct tune_job *job, const totum_tuning *tuning,
			       const struct bench_formula *formula, uint64_t size,
			       struct trial *trial, struct tally *tally)
{
	totum_status status = trial_list(job, tuning, formula, size, trial);

	trial_add(trial, "auto", 0);
	if (!status)
		status = trial_measure(job, job->checked, trial);
	if (status)
		return status;
	/* what an unforced call runs is known when one has run */
	const struct bench_call call = {.send = job->send,
					.recv = job->recv,
					.count = trial->count,
					.dtype = formula->reduces ? TOTUM_F32 : TOTUM_U8,
					.op = TOTUM_SUM,
					.comm = job->checked};

	status = formula->call(&call);
	if (status || job->rank)
		return status;
	for (int i = 0; i < trial->n; i++)
		if (strcmp(trial->entries[i].name, "auto"))
			print_entry(trial, &trial->entries[i], tally);
	print_size(job, trial, choice_of(job, trial), tally);
	fflush(stdout);
	return TOTUM_OK;
}

static void print_head(const struct tune_job *job)
{
	const char *file = getenv("TOTUM_TUNING");

	printf("# totum %s, %d ranks on %d host%s\n", totum_version(), job->nranks, job->nhosts,
	       job->nhosts == 1 ? "" : "s");
	printf("# command: %s\n", job->options->command);
	printf("# predicted by %s\n", file && *file ? file : "built-in costs");
	printf("# %-12s %10s  %-28s %12s %12s %9s\n", "collective", "bytes", "algorithm",
	       "predicted us", "measured us", "error");
}

static void print_tally(const struct tally *tally)
{
	if (tally->points)
		printf("# from 64 KiB on %ld of %ld within 15%%; worst %.0f%%, %s\n", tally->within,
		       tally->points, 100 * tally->worst, tally->where);
	printf("# the choice within 1.1 times the best at %ld of %ld sizes, at %ld more not told "
	       "from "
	       "it; worst %.2f, %s\n",
	       tally->best, tally->sizes, tally->noise, tally->ratio, tally->which);
}

totum_status tune_check(struct tune_job *job, const totum_tuning *tuning)
{
	const struct tune_options *options = job->options;
	struct trial *trial = calloc(1, sizeof *trial);
	struct tally tally = {0};
	totum_status status = trial ? totum_comm_dup(job->comm, &job->checked) : TOTUM_EMEMORY;

	if (!job->rank)
		print_head(job);
	for (int i = 0; i < options->ncollectives; i++) {
		const struct bench_formula *formula = bench_formula_find(options->collectives[i]);

		for (uint64_t size = options->first; size && !status;
		     size = trial_next(options, size))
			status = check_size(job, tuning, formula, size, trial, &tally);
	}
	if (!status && !job->rank)
		print_tally(&tally);
	totum_comm_free(job->checked);
	free(trial);
	return status;
}
