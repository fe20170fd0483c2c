/* SPDX-License-Identifier: BSD-3-Clause */
/* communicator - the public entry points that make, ask and free communicators. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "api/join.h"
#include "base/log.h"
#include "base/units.h"
#include "launch/exchange.h"
#include "runtime/comm.h"
#include "runtime/probe.h"
#include "runtime/progress.h"
#include "runtime/shrink.h"
#include "runtime/spread.h"

const char *totum_version(void)
{
	return TOTUM_BUILD_VERSION;
}

static totum_status read_settings(struct tt_settings *settings)
{
	totum_status status = tt_settings_read(settings);

	if (!status && settings->debug)
		tt_log_enable();
	return status;
}

/* The world of a job: ranks in order, area 0.  Takes over spread. */
static totum_status open_world(struct tt_job *job, int rank, struct tt_spread *spread,
			       totum_comm **out)
{
	int *job_ranks = malloc((size_t)job->nranks * sizeof *job_ranks);

	if (!job_ranks)
		tt_spread_free(spread);
	if (!job_ranks)
		return tt_fail_memory((size_t)job->nranks * sizeof *job_ranks,
				      "a communicator's ranks");
	for (int i = 0; i < job->nranks; i++)
		job_ranks[i] = i;
	return tt_comm_open(job, 0, rank, job->nranks, job_ranks, spread, out);
}

totum_status tt_join_world(struct tt_identity *identity, const struct tt_settings *settings,
			   totum_comm **comm)
{
	struct tt_spread *spread = NULL;
	struct tt_job *job;
	int index = identity->rank;

	tt_log("totum %s: rank %d of %d, by the variables of: %s", TOTUM_BUILD_VERSION,
	       identity->rank, identity->nranks, identity->family);
	totum_status status =
		tt_exchange_reaches_out(identity)
			? tt_job_join_hosts(identity, settings, &job, &index, &spread)
			: tt_job_join(identity, settings, &job);
	if (status)
		return tt_fail_in(status, "rank %d of %d cannot join the job", identity->rank,
				  identity->nranks);
	status = open_world(job, index, spread, comm);
	tt_job_leave(job); /* the communicator holds it now, or nobody does */
	if (status)
		return status;
	status = tt_probe(*comm);
	if (status)
		tt_comm_close(*comm);
	return status;
}

totum_status totum_init(totum_comm **comm)
{
	struct tt_settings settings;
	struct tt_identity identity;

	if (!comm)
		return tt_fail(TOTUM_EINVAL,
			       "totum_init: comm is NULL; "
			       "give the address of a totum_comm pointer");
	totum_status status = read_settings(&settings);
	if (!status)
		status = tt_identity_find(&settings, &identity);
	return status ? status : tt_join_world(&identity, &settings, comm);
}

totum_status totum_comm_create(int rank, int nranks, const char *root, const char *secret,
			       totum_comm **comm)
{
	struct tt_settings settings;
	struct tt_identity identity = {.family = "explicit arguments",
				       .rank = rank,
				       .nranks = nranks};

	if (!comm)
		return tt_fail(TOTUM_EINVAL,
			       "totum_comm_create: comm is NULL; "
			       "give the address of a totum_comm pointer");
	if (nranks < 1 || nranks > TT_RANKS || rank < 0 || rank >= nranks)
		return tt_fail(TOTUM_EINVAL,
			       "totum_comm_create: rank %d of %d ranks; "
			       "nranks is 1 to %d and rank from 0 to nranks-1",
			       rank, nranks, TT_RANKS);
	if (!root || strlen(root) >= TT_ROOT)
		return tt_fail(TOTUM_EINVAL, "totum_comm_create: the root is %s; give one of at most "
			       "%d bytes", root ? "too long" : "NULL", TT_ROOT - 1);
	if (tt_exchange_check_root(root))
		return tt_fail_in(TOTUM_EINVAL, "totum_comm_create");
	if (secret && strlen(secret) >= TT_SECRET)
		return tt_fail(TOTUM_EINVAL,
			       "totum_comm_create: the secret is longer than %d bytes",
			       TT_SECRET - 1);
	strcpy(identity.root, root);
	strcpy(identity.secret, secret ? secret : "");
	totum_status status = read_settings(&settings);
	return status ? status : tt_join_world(&identity, &settings, comm);
}

totum_status totum_init_threads(int nranks, totum_comm *comms[])
{
	struct tt_settings settings;
	struct tt_job *job;
	int rank;

	if (nranks < 1 || nranks > TT_RANKS || !comms)
		return tt_fail(TOTUM_EINVAL,
			       "totum_init_threads: nranks is %d and comms %s; "
			       "give 1 to %d ranks and an array of as many pointers",
			       nranks, comms ? "set" : "NULL", TT_RANKS);
	totum_status status = read_settings(&settings);
	if (!status)
		status = tt_job_threads(nranks, &settings, &job);
	if (status)
		return status;
	for (rank = 0; rank < nranks && !status; rank++)
		status = open_world(job, rank, NULL, &comms[rank]);
	if (status)
		for (rank -= 2; rank >= 0; rank--)
			tt_comm_close(comms[rank]);
	for (int i = 0; i < nranks; i++)
		tt_job_leave(job);
	return status;
}

int totum_comm_rank(const totum_comm *comm)
{
	return comm ? comm->rank : -1;
}

int totum_comm_nranks(const totum_comm *comm)
{
	return comm ? comm->nranks : -1;
}

static bool is_rank(const totum_comm *comm, int rank)
{
	return comm && rank >= 0 && rank < comm->nranks;
}

int totum_comm_host(const totum_comm *comm, int rank)
{
	if (!is_rank(comm, rank))
		return -1;
	return comm->spread ? comm->spread->host_of[rank] : 0;
}

const char *totum_comm_host_name(const totum_comm *comm, int rank)
{
	if (!is_rank(comm, rank))
		return "";
	return comm->spread ? comm->spread->cards[rank].host : comm->job->hostname;
}

static totum_status make(totum_comm *comm, const char *call, int color, int key, totum_comm **out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL,
			       "%s: out is NULL; give the address of a totum_comm pointer", call);
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	status = tt_comm_split(comm, color, key, out);
	tt_comm_exit(comm);
	return status;
}

totum_status totum_comm_split(totum_comm *comm, int color, int key, totum_comm **out)
{
	return make(comm, "totum_comm_split", color, key, out);
}

totum_status totum_comm_dup(totum_comm *comm, totum_comm **out)
{
	return make(comm, "totum_comm_dup", 0, totum_comm_rank(comm), out);
}

totum_status totum_comm_abort(totum_comm *comm)
{
	if (!comm)
		return tt_fail(TOTUM_EINVAL, "totum_comm_abort: the communicator is NULL");
	totum_status status = tt_comm_check_fork(comm);
	if (status)
		return status;
	/* a thread that is in comm sees the failure there, and tells the other hosts of it */
	bool entered = !tt_comm_enter(comm);
	tt_host_abort(&comm->host, comm->rank, "rank %d aborted the communicator; free it",
		      comm->rank);
	if (entered)
		tt_comm_exit(comm);
	return TOTUM_OK;
}

totum_status totum_comm_shrink(totum_comm *comm, totum_comm **out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_comm_shrink: out is NULL; "
			       "give the address of a totum_comm pointer");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	/* acquire: pairs with the release in tt_host_fail */
	if (atomic_load_explicit(&comm->host.head->failed, memory_order_acquire))
		status = tt_comm_shrink(comm, out);
	else
		status = tt_fail(TOTUM_EUSAGE,
				 "totum_comm_shrink: the communicator has not failed; "
				 "to leave ranks out use totum_comm_split");
	tt_comm_exit(comm);
	return status;
}

totum_status totum_comm_free(totum_comm *comm)
{
	if (!comm)
		return TOTUM_OK;
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	if (comm->requests) {
		status = tt_fail(TOTUM_EUSAGE,
				 "the communicator has %lld requests or plans "
				 "that were not waited for or freed; do that first",
				 (long long)comm->requests);
		tt_comm_exit(comm);
		return status;
	}
	/* what has not been compared yet: a failure that this rank has been told of is no news */
	if (!atomic_load_explicit(&comm->host.head->failed, memory_order_acquire))
		status = tt_host_settle(&comm->host, comm->host.beat, false);
	tt_comm_close(comm);
	return status == TT_NOT_YET ? TOTUM_OK : status;
}

const char *totum_comm_algorithm(const totum_comm *comm)
{
	return comm ? comm->ran : "";
}

static totum_status set_timeout(totum_comm *comm, const char *text)
{
	double seconds;
	totum_status status = tt_parse_seconds(text, &seconds);

	if (status)
		return tt_fail_in(TOTUM_EINVAL, "timeout");
	if (seconds <= 0 || seconds > 30 * 86400.0)
		return tt_fail(TOTUM_EINVAL, "timeout=%s must be above 0 and at most 30 days",
			       text);
	comm->host.timeout_ns = (uint64_t)(seconds * 1e9);
	return TOTUM_OK;
}

/* One setting "name=value", where an algorithm's value has commas of its own. */
static totum_status configure(totum_comm *comm, const char *settings)
{
	if (!strncmp(settings, "algo=", 5))
		return tt_comm_force(comm, settings + 5);
	if (!strncmp(settings, "timeout=", 8))
		return set_timeout(comm, settings + 8);
	if (!strcmp(settings, "progress=thread"))
		return comm->progress ? TOTUM_OK : tt_progress_start(comm);
	if (!strcmp(settings, "order=rank") || !strcmp(settings, "order=schedule")) {
		comm->rank_order = !strcmp(settings, "order=rank");
		return TOTUM_OK;
	}
	return tt_fail(TOTUM_EINVAL,
		       "\"%.100s\" is not a setting; write algo=NAME[,parameter=value], "
		       "algo=auto, timeout=30s, progress=thread, order=rank or order=schedule",
		       settings);
}

totum_status totum_comm_configure(totum_comm *comm, const char *settings)
{
	char one[256];
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	if (!settings)
		status = tt_fail(TOTUM_EINVAL,
				 "totum_comm_configure: settings is NULL; "
				 "write algo=NAME or timeout=30s");
	/* settings are separated by colons, as in problem strings */
	for (const char *at = settings; !status && at && *at;) {
		size_t length = strcspn(at, ":");
		if (length >= sizeof one) {
			status = tt_fail(TOTUM_EINVAL, "a setting of %zu characters is too long",
					 length);
			break;
		}
		snprintf(one, sizeof one, "%.*s", (int)length, at);
		status = configure(comm, one);
		at += length + (at[length] == ':');
	}
	tt_comm_exit(comm);
	return status;
}
