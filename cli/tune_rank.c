/* SPDX-License-Identifier: BSD-3-Clause */
/* tune_rank - one rank's job: every class of links, the rates, and on rank 0 the file. */
#include "tune.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"

enum { PAGE = 4096, WRONG = 1, USAGE = 2 };

/*
 * One sentence, from every rank for what may differ among them, from rank 0 for what does not.  A
 * rank that has lost another one stays a little: the launcher shall see the dead one first.
 */
static int fail(const struct tune_job *job, totum_status status)
{
	bool common =
		status == TOTUM_EINVAL || status == TOTUM_EPARSE || status == TOTUM_EUNSUPPORTED;

	if (!common || job->rank == 0)
		fprintf(stderr, "totum tune: rank %d: %s\n", job->rank,
			status == TOTUM_EMEMORY ? "out of memory" : totum_errmsg());
	if (status == TOTUM_ELOST)
		usleep(300000);
	return common ? USAGE : WRONG;
}

/* --- measuring ------------------------------------------------------------------------------ */

static totum_status measure_link(struct tune_job *job, int class, totum_tuning *tuning)
{
	const struct tune_team *team = &job->teams[class];
	struct tune_link link = {0};

	if (team->from < 0)
		return TOTUM_OK;
	totum_status status = tune_sizes(job, team, &link);

	if (!status)
		status = tune_exchange(job, team, &link);
	if (!status)
		status = tune_ports(job, team, &link);
	if (!status)
		status = tune_together(job, team, class == 1, &link);
	if (!status) {
		const totum_link_samples samples = {.between = class,
						    .both_ways = 1,
						    .n = link.n,
						    .bytes = link.bytes,
						    .seconds = link.seconds,
						    .exchange = link.exchange,
						    .together = link.together,
						    .ports = link.ports};

		status = totum_tuning_link(tuning, &samples);
	}
	free(link.bytes);
	free(link.seconds);
	return status;
}

static totum_status furnish(struct tune_job *job)
{
	job->send = aligned_alloc(PAGE, TUNE_LARGEST);
	job->recv = aligned_alloc(PAGE, TUNE_LARGEST);
	if (!job->send || !job->recv)
		return TOTUM_EMEMORY;
	memset(job->send, 1, TUNE_LARGEST);
	memset(job->recv, 1, TUNE_LARGEST);
	return TOTUM_OK;
}

static totum_status measure(struct tune_job *job, totum_tuning *tuning)
{
	totum_rates rates;
	totum_status status = TOTUM_OK;

	for (int class = 0; class < TUNE_CLASSES && !status; class ++)
		status = measure_link(job, class, tuning);
	if (!status)
		status = tune_rates(job, &rates);
	if (!status)
		status = totum_tuning_rates(tuning, &rates);
	return status ? status : tune_decide(job, tuning);
}

/* --- the end -------------------------------------------------------------------------------- */

/* Ranks that share a core measure the scheduler. */
static void warn_of_cores(const struct tune_job *job)
{
	cpu_set_t set;
	int ranks = totum_comm_nranks(job->host);

	if (sched_getaffinity(0, sizeof set, &set) || job->options->bind != LAUNCH_BIND_NONE)
		return;
	if (CPU_COUNT(&set) < ranks)
		printf("# %d ranks share %d cores: these are not the links' figures alone; give "
		       "fewer ranks\n",
		       ranks, CPU_COUNT(&set));
}

static totum_status show(const struct tune_job *job, const totum_tuning *tuning)
{
	printf("# totum %s, %d ranks on %d host%s\n", totum_version(), job->nranks, job->nhosts,
	       job->nhosts == 1 ? "" : "s");
	printf("# command: %s\n", job->options->command);
	warn_of_cores(job);
	totum_status status = totum_tuning_show(tuning, stdout);

	if (!job->options->file)
		printf("# not kept: give -o FILE to write a tuning file\n");
	return status;
}

/* Returns the exit code. */
static int keep(const struct tune_job *job, const totum_tuning *tuning)
{
	const char *file = job->options->file;
	struct output output;

	if (!file)
		return 0;
	bool opened = output_open(&output, file);
	totum_status status = opened ? totum_tuning_write(tuning, output.stream) : TOTUM_OK;

	if (opened && output_close(&output, !status))
		return status ? fail(job, status) : 0;
	fprintf(stderr, "totum tune: cannot write %s: %s\n", file, strerror(errno));
	return WRONG;
}

/* --- the life ------------------------------------------------------------------------------- */

/* No facts yet; of a check, those that calls go by. */
static totum_status open_tuning(const struct tune_job *job, totum_tuning **out)
{
	const char *file = job->options->check ? getenv("TOTUM_TUNING") : NULL;

	return totum_tuning_open(file && *file ? file : NULL, out);
}

/* Algorithms are tried where calls choose one, which is between hosts. */
static bool impossible(const struct tune_job *job)
{
	const char *why = job->nhosts < 2 ? "on one host calls go the direct way: nothing is chosen"
			  : job->nranks > 128 ? "prices of more than 128 ranks take too long"
					      : NULL;

	if (!job->options->ncollectives || !why)
		return false;
	if (!job->rank)
		fprintf(stderr, "totum tune: %s: %s\n",
			job->options->check ? "--check" : "--decide", why);
	return true;
}

static int live(struct tune_job *job)
{
	totum_tuning *tuning = NULL;

	job->rank = totum_comm_rank(job->comm);
	job->nranks = totum_comm_nranks(job->comm);
	if (job->nranks < 2) {
		fputs("totum tune: one rank has no links; give -n 2 or more\n", stderr);
		return USAGE;
	}
	totum_status status = tune_places(job);

	if (!status && impossible(job))
		return USAGE;
	if (!status)
		status = totum_comm_configure(job->comm, "algo=auto");
	if (!status)
		status = totum_comm_configure(job->host, "algo=auto");
	if (!status)
		status = open_tuning(job, &tuning);
	if (!status)
		status = furnish(job);
	if (!status)
		status = job->options->check ? tune_check(job, tuning) : measure(job, tuning);
	if (job->options->check) {
		int code = status ? fail(job, status) : 0;

		totum_tuning_free(tuning);
		return code;
	}
	bool to_stdout = job->options->file && !strcmp(job->options->file, "-");

	if (!status && !job->rank && !to_stdout)
		status = show(job, tuning);
	int code = status ? fail(job, status) : job->rank ? 0 : keep(job, tuning);

	totum_tuning_free(tuning);
	return code;
}

int tune_rank(const struct tune_options *options)
{
	const char *rank = getenv("TOTUM_RANK"); /* who speaks, until the communicator says it */
	struct tune_job job = {.options = options, .rank = rank ? atoi(rank) : 0};
	totum_status status = totum_init(&job.comm);
	int code = status ? fail(&job, status) : live(&job);

	free(job.send);
	free(job.recv);
	if (job.hosts)
		tune_places_free(&job);
	totum_comm_free(job.host);
	totum_comm_free(job.comm);
	return code;
}
