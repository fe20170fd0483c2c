/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_rank - one rank's job: communicators, buffers, and the sweep over sizes.
 *
 * What is measured runs on one communicator; barriers, clocks and verdicts go over another, which
 * no forced algorithm touches: a wrong one is then found, not believed.
 */
#include "bench.h"
#include "bench_counters.h"
#include "bench_machine.h"
#include "bench_progress.h"
#include "bench_report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, WRONG = 1, USAGE = 2 };

/*
 * One sentence, from every rank for what may differ among them, from rank 0 for what does not.  A
 * rank that has lost another one stays a little: the launcher shall see the dead one first, whose
 * end is the job's.
 */
static int fail(const struct bench_job *job, totum_status status)
{
	bool common =
		status == TOTUM_EINVAL || status == TOTUM_EPARSE || status == TOTUM_EUNSUPPORTED;

	if (!common || job->rank == 0)
		fprintf(stderr, "totum bench: rank %d: %s\n", job->rank, totum_errmsg());
	if (status == TOTUM_ELOST)
		usleep(300000);
	return common ? USAGE : WRONG;
}

/* --- setting up ----------------------------------------------------------------------------- */

static void give(const struct bench_job *job, unsigned char *memory)
{
	if (job->options->shared_buffers)
		totum_free(job->comm, memory);
	else
		free(memory);
}

static totum_status configure(struct bench_job *job)
{
	const struct bench_options *options = job->options;
	char setting[160];
	totum_status status = totum_comm_dup(job->comm, &job->control);

	if (!status)
		status = totum_comm_configure(job->control, "algo=auto");
	if (!status && options->algorithm) {
		snprintf(setting, sizeof setting, "algo=%.140s", options->algorithm);
		status = totum_comm_configure(job->comm, setting);
	}
	if (!status && options->timeout > 0) {
		snprintf(setting, sizeof setting, "timeout=%.9fs", options->timeout);
		status = totum_comm_configure(job->comm, setting);
	}
	return status;
}

/* Are there several hosts?  Copies are not what limits then. */
static bool is_spread(const struct bench_job *job)
{
	for (int rank = 1; rank < job->nranks; rank++)
		if (job->hosts[rank] != job->hosts[0])
			return true;
	return false;
}

/* Buffers for the largest size.  Returns the exit code. */
static int furnish(struct bench_job *job)
{
	const struct bench_options *options = job->options;
	size_t element = totum_dtype_size(options->dtype);
	size_t count = bench_count(options->formula, options->last, element, job->nranks);
	size_t send = bench_sends(&job->data, count) * element;
	size_t whole = bench_total(options->formula, count, element, job->nranks);
	totum_status status = TOTUM_OK;

	job->times = malloc(bench_room(&options->plan) * sizeof *job->times);
	if (whole && !is_spread(job))
		status = totum_window_create(job->control, whole, &job->window);
	if (options->shared_buffers) {
		if (!status && send)
			status = totum_alloc(job->comm, send, (void **)&job->send);
		if (!status && whole)
			status = totum_alloc(job->comm, whole, (void **)&job->whole);
	} else {
		job->send = aligned_alloc(PAGE, (send + PAGE) / PAGE * PAGE);
		job->whole = aligned_alloc(PAGE, (whole + PAGE) / PAGE * PAGE);
	}
	if (status)
		return fail(job, status);
	if (job->times && (options->shared_buffers || (job->send && job->whole)))
		return 0;
	fprintf(stderr,
		"totum bench: rank %d: no memory for %zu bytes: give a smaller -e or fewer "
		"ranks\n",
		job->rank, send + whole);
	return WRONG;
}

static void leave(struct bench_job *job)
{
	totum_window_free(job->window);
	give(job, job->send);
	give(job, job->whole);
	free(job->times);
	free(job->hosts);
	totum_comm_free(job->control);
	totum_comm_free(job->comm);
}

/* --- the sweep ------------------------------------------------------------------------------ */

/* The next size, or 0 when there is none. */
static uint64_t next_size(const struct bench_options *options, uint64_t size)
{
	uint64_t factor = (uint64_t)options->factor;
	uint64_t next = options->step ? size + options->step : size ? size * factor : 1;
	bool overflow = options->step ? next < size : size && next / factor != size;

	return overflow || next > options->last ? 0 : next;
}

static totum_status measure_size(struct bench_job *job, size_t count, struct bench_row *row)
{
	const struct bench_options *options = job->options;
	size_t element = totum_dtype_size(options->dtype);
	bool nothing = bench_moves_nothing(options->formula);

	*row = (struct bench_row){
		.count = count,
		.total = bench_total(options->formula, count, element, job->nranks),
		.share = bench_share(options->formula, count, element),
	};
	totum_status status = bench_measure(job, count, BENCH_OUT_OF_PLACE, row);

	snprintf(row->algorithm, sizeof row->algorithm, "%s", totum_comm_algorithm(job->comm));
	if (!status && !nothing)
		status = bench_measure(job, count, BENCH_IN_PLACE, row);
	if (!status)
		status = bench_limit(job, row);
	return status;
}

/* report is NULL on all ranks but 0; *wrong is the sum over all. */
static totum_status sweep(struct bench_job *job, struct bench_report *report, uint64_t *wrong)
{
	const struct bench_options *options = job->options;
	size_t element = totum_dtype_size(options->dtype), last = SIZE_MAX;
	struct bench_progress progress = {0};
	struct bench_row row;

	for (uint64_t size = options->first, more = 1; more; size = more) {
		size_t count = bench_count(options->formula, size, element, job->nranks);

		more = bench_moves_nothing(options->formula) ? 0 : next_size(options, size);
		if (count == last) /* rounded to the same */
			continue;
		last = count;
		if (report)
			bench_progress_show(&progress, options->formula->name, size, options->last);
		totum_status status = measure_size(job, count, &row);

		bench_progress_clear(&progress);
		if (status)
			return status;
		*wrong += row.wrong[BENCH_OUT_OF_PLACE] + row.wrong[BENCH_IN_PLACE];
		if (report)
			bench_report_row(report, &row);
	}
	return TOTUM_OK;
}

/* --- the life ------------------------------------------------------------------------------- */

/* The worst code of all ranks, so that they end together and nobody is reported lost. */
static totum_status agree(struct bench_job *job, int *code)
{
	int32_t worst = *code;
	totum_status status =
		totum_allreduce(&worst, &worst, 1, TOTUM_I32, TOTUM_MAX, job->control);

	*code = (int)worst;
	return status;
}

/* Where all ranks are, and on rank 0 the report that tells it. */
static int begin(struct bench_job *job, struct bench_seat *seats, struct bench_report *report)
{
	struct bench_facts facts = {.options = job->options,
				    .nranks = job->nranks,
				    .seats = seats,
				    .hosts = job->hosts};
	struct bench_seat mine = {.pid = (int32_t)getpid()};

	gethostname(mine.host, sizeof mine.host - 1);
	totum_status status = totum_allgather(&mine, seats, sizeof mine, TOTUM_U8, job->control);

	if (status)
		return fail(job, status);
	if (job->rank)
		return 0;
	bench_machine_find(&facts.machine);
	return bench_report_open(&facts, report) ? 0 : USAGE;
}

static int work(struct bench_job *job, struct bench_seat *seats, struct totum_counters *counters)
{
	struct bench_report report = {0};
	uint64_t wrong = 0;
	int code = furnish(job);
	totum_status status = agree(job, &code);

	if (!status && !code) {
		code = begin(job, seats, &report);
		status = agree(job, &code);
	}
	if (!status && !code)
		status = sweep(job, job->rank ? NULL : &report, &wrong);
	if (!status && !code) {
		status = bench_counters_gather(job, counters);
		report.counters = counters;
	}
	if (status)
		code = fail(job, status);
	if (job->rank)
		return code;
	if (!bench_report_close(&report, code == 0) && !code)
		code = WRONG;
	return !code && wrong ? WRONG : code;
}

static int live(struct bench_job *job)
{
	const struct bench_options *options = job->options;

	job->rank = totum_comm_rank(job->comm);
	job->nranks = totum_comm_nranks(job->comm);
	int code = bench_check(options, job->nranks, job->rank == 0);

	if (code)
		return code;
	totum_status status = configure(job);

	if (status)
		return fail(job, status);
	struct bench_seat *seats = calloc((size_t)job->nranks, sizeof *seats);
	struct totum_counters *counters = calloc((size_t)job->nranks, sizeof *counters);

	job->hosts = calloc((size_t)job->nranks, sizeof *job->hosts);
	if (!seats || !counters || !job->hosts) {
		free(seats);
		free(counters);
		fprintf(stderr, "totum bench: rank %d: out of memory\n", job->rank);
		return WRONG;
	}
	job->data = (struct bench_data){.formula = options->formula,
					.dtype = options->dtype,
					.op = options->op,
					.rank = job->rank,
					.nranks = job->nranks,
					.root = options->root};
	bench_data_open(&job->data);
	for (int r = 0; r < job->nranks; r++)
		job->hosts[r] = totum_comm_host(job->comm, r);
	code = work(job, seats, counters);
	free(seats);
	free(counters);
	return code;
}

int bench_rank(const struct bench_options *options)
{
	const char *rank = getenv("TOTUM_RANK"); /* who speaks, until the communicator says it */
	struct bench_job job = {.options = options, .rank = rank ? atoi(rank) : 0};
	totum_status status = totum_init(&job.comm);
	int code = status ? fail(&job, status) : live(&job);

	leave(&job);
	return code;
}
