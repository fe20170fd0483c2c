/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_trial - candidates are listed by price and measured in turns, so that what disturbs one of
 * them disturbs its neighbours as well.  A time is that of some calls back to back, long enough to
 * have the links in steady use, on the rank that took longest.
 */
#include "tune_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_timing.h"
#include "totum_lab.h"

enum { BATCH_MOST = 1 << 14, LEAST_ROUNDS = 5, CHEAPEST = 10, ALIKE = 3, PARTS = 8, PROBLEM = 320 };

static const double sample_time = 10e-3, size_time = 1.5;
static const double most = 0.75; /* of the rounds, to win */
static const double alike = 1.001;
static const double worth = 3; /* times the cheapest: what is dearer is not tried */

/* --- candidates ----------------------------------------------------------------------------- */

/* Parameters that change what a call costs, beside the defaults. */
static const char *const variants[] = {
	"hierarchical,outer=1", "hierarchical,outer=2", "hierarchical,parts=2",
	"hierarchical,parts=4", "bruck,radix=3",        "bruck,radix=4",
};

static int find(const struct trial *trial, const char *name)
{
	for (int i = 0; i < trial->n; i++)
		if (!strcmp(trial->entries[i].name, name))
			return i;
	return -1;
}

void trial_add(struct trial *trial, const char *name, double predicted)
{
	if (trial->n == TRIAL_MOST || find(trial, name) >= 0)
		return;
	struct trial_entry *entry = &trial->entries[trial->n++];

	*entry = (struct trial_entry){.predicted = predicted};
	snprintf(entry->name, sizeof entry->name, "%s", name);
}

/* False when the algorithm cannot do it; without one: of what an unforced call runs. */
static bool predict(const struct tune_job *job, const totum_tuning *tuning,
		    const struct trial *trial, const char *algorithm, totum_prediction *out)
{
	const struct bench_formula *formula = trial->formula;
	char problem[PROBLEM];

	snprintf(problem, sizeof problem, "%s:n=%d:bytes=%llu:dtype=%s%s%s%.96s", formula->name,
		 job->nranks, (unsigned long long)trial->total, formula->reduces ? "f32" : "u8",
		 formula->rooted ? ":root=0" : "", algorithm ? ":algo=" : "",
		 algorithm ? algorithm : "");
	return !totum_predict(problem, job->hosts, tuning, out);
}

static void offer(const struct tune_job *job, const totum_tuning *tuning, const char *algorithm,
		  struct trial *all)
{
	totum_prediction prediction;

	if (predict(job, tuning, all, algorithm, &prediction))
		trial_add(all, prediction.algorithm, prediction.seconds);
}

static int by_price(const void *a, const void *b)
{
	const struct trial_entry *x = a, *y = b;

	return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

/* Those that are asked for, and the cheapest ones, of all. */
static void select_entries(const struct tune_job *job, const totum_tuning *tuning,
			   const struct trial *all, struct trial *out)
{
	const struct tune_options *options = job->options;
	totum_prediction choice;

	if (predict(job, tuning, out, NULL, &choice))
		trial_add(out, choice.algorithm, choice.seconds);
	for (int i = 0; i < options->nalgorithms; i++)
		offer(job, tuning, options->algorithms[i], out);
	for (int i = 0, taken = 0; i < all->n && taken < CHEAPEST; i++) {
		double price = all->entries[i].predicted;

		/* what is priced alike is alike, mostly: others shall have their chance */
		if (price > worth * all->entries[0].predicted ||
		    (i >= ALIKE && price <= alike * all->entries[i - ALIKE].predicted))
			continue;
		trial_add(out, all->entries[i].name, price);
		taken++;
	}
	qsort(out->entries, (size_t)out->n, sizeof *out->entries, by_price);
	out->chosen = out->n ? find(out, choice.algorithm) : -1;
}

totum_status trial_list(struct tune_job *job, const totum_tuning *tuning,
			const struct bench_formula *formula, uint64_t total, struct trial *out)
{
	size_t element = formula->reduces ? sizeof(float) : 1;
	totum_algorithm algorithm;

	*out = (struct trial){.formula = formula, .chosen = -1};
	out->count = bench_count(formula, total, element, job->nranks);
	out->total = bench_total(formula, out->count, element, job->nranks);
	if (job->rank == 0) {
		struct trial all = *out;

		for (int i = 0; totum_algorithm_at(i, &algorithm); i++)
			offer(job, tuning, algorithm.name, &all);
		for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
			offer(job, tuning, variants[i], &all);
		qsort(all.entries, (size_t)all.n, sizeof *all.entries, by_price);
		select_entries(job, tuning, &all, out);
	}
	const int32_t told[] = {out->chosen, out->n};
	int32_t heard[2];
	totum_status status = totum_broadcast(told, heard, 2, TOTUM_I32, 0, job->comm);

	if (status)
		return status;
	out->chosen = heard[0];
	out->n = heard[1];
	return totum_broadcast(out->entries, out->entries, (size_t)out->n * sizeof *out->entries,
			       TOTUM_U8, 0, job->comm);
}

/* --- times ---------------------------------------------------------------------------------- */

struct measurement {
	struct tune_job *job;
	totum_status (*call)(const struct bench_call *call);
	struct bench_call with;
};

static totum_status calls(const struct measurement *measurement, long n)
{
	totum_status status = TOTUM_OK;

	for (long i = 0; i < n && !status; i++)
		status = measurement->call(&measurement->with);
	return status;
}

static totum_status force(totum_comm *comm, const char *name)
{
	char setting[120];

	snprintf(setting, sizeof setting, "algo=%.96s", name);
	return totum_comm_configure(comm, setting);
}

static double median(const double *values, int n)
{
	double sorted[(int)TRIAL_ROUNDS > (int)PARTS ? TRIAL_ROUNDS : PARTS];

	memcpy(sorted, values, (size_t)n * sizeof *sorted);
	bench_sort(sorted, n);
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/*
 * Seconds of each of n calls after so many others; the slowest rank's, on all.  Of many calls the
 * median of some parts: a rank that has to wait for its core spoils a part or two, not all.
 */
static totum_status sample(const struct measurement *measurement, const char *name, long before,
			   long n, double *seconds)
{
	int nparts = n >= PARTS * PARTS ? PARTS : 1;
	double parts[PARTS];
	totum_status status = force(measurement->with.comm, name);

	if (!status)
		status = calls(measurement, before);
	if (!status)
		status = totum_barrier(measurement->job->comm);
	for (int i = 0; i < nparts; i++) {
		double begin = tune_now();

		if (!status)
			status = calls(measurement, n / nparts);
		parts[i] = fmax(tune_now() - begin, 1e-9) / (double)(n / nparts);
	}
	if (!status)
		status = tune_greatest(parts, (size_t)nparts, measurement->job->comm);
	*seconds = median(parts, nparts);
	return status;
}

/* How many calls make a sample of each entry, and how many rounds of all there is time for. */
static totum_status calibrate(const struct measurement *measurement, struct trial *trial,
			      long batches[])
{
	totum_status status = TOTUM_OK;
	double round = 0, each = 0;

	for (int i = 0; i < trial->n && !status; i++) {
		batches[i] = 1;
		do {
			status = sample(measurement, trial->entries[i].name, 1, batches[i], &each);
			round += 2 * each * (double)batches[i];
			if (status || each * (double)batches[i] >= sample_time / 4)
				break;
			batches[i] *= 4;
		} while (batches[i] < BATCH_MOST);
		batches[i] = tune_enough(sample_time, fmax(each, 1e-9), trial->total);
	}
	trial->rounds = (int)fmin(TRIAL_ROUNDS, fmax(LEAST_ROUNDS, size_time / fmax(round, 1e-9)));
	return status;
}

totum_status trial_measure(struct tune_job *job, totum_comm *comm, struct trial *trial)
{
	const struct measurement measurement = {
		.job = job,
		.call = trial->formula->call,
		.with = {.send = job->send,
			 .recv = job->recv,
			 .count = trial->count,
			 .dtype = trial->formula->reduces ? TOTUM_F32 : TOTUM_U8,
			 .op = TOTUM_SUM,
			 .root = 0,
			 .comm = comm},
	};
	long batches[TRIAL_MOST];
	totum_status status = calibrate(&measurement, trial, batches);

	for (int round = 0; round < trial->rounds && !status; round++)
		for (int i = 0; i < trial->n && !status; i++) {
			int entry = (i + round) % trial->n; /* each has other neighbours in turn */
			struct trial_entry *at = &trial->entries[entry];

			/* after the others' turns its connections are idle, and start slowly */
			status = sample(&measurement, at->name, batches[entry], batches[entry],
					&at->times[round]);
		}
	for (int i = 0; i < trial->n && !status; i++)
		trial->entries[i].typical = median(trial->entries[i].times, trial->rounds);
	return status ? status : force(comm, "auto");
}

uint64_t trial_next(const struct tune_options *options, uint64_t size)
{
	if (size >= options->last)
		return 0;
	return size > options->last / TRIAL_FACTOR ? options->last : size * TRIAL_FACTOR;
}

bool trial_wins(const struct trial *trial, int entry, int other)
{
	int won = 0;

	for (int i = 0; i < trial->rounds; i++)
		won += trial->entries[entry].times[i] < trial->entries[other].times[i];
	return won >= most * trial->rounds;
}

int trial_best(const struct trial *trial)
{
	int best = -1;

	for (int i = 0; i < trial->n; i++)
		if (strcmp(trial->entries[i].name, "auto") &&
		    (best < 0 || trial->entries[i].typical < trial->entries[best].typical))
			best = i;
	return best;
}

double trial_ratio(const struct trial *trial, int entry, int other)
{
	double ratios[TRIAL_ROUNDS];

	for (int i = 0; i < trial->rounds; i++)
		ratios[i] = trial->entries[entry].times[i] / trial->entries[other].times[i];
	return median(ratios, trial->rounds);
}
