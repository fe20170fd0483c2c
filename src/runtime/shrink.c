/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shrink - the survivors of a failed communicator make a new one.
 *
 * Every survivor says on its desk that it shrinks.  When everybody alive has said so, the lowest of
 * them writes down who they are and which area they take; the others read it.  The roll makes this
 * safe: it knows exactly who is dead, so there is one lowest survivor at any moment, and when it
 * dies before it has written, the next one takes its place.  Those of several hosts do this on each
 * host first (shrink_hosts.c).
 */
#include "runtime/shrink_parts.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

enum { LOOK_NS = 500000 };

/* The writer's list, in its stage of beat 0, which a failed communicator no longer uses. */
struct decision {
	int32_t area, n;
	int32_t members[];
};

static struct decision *decision_of(const struct tt_host *host, int writer)
{
	return (struct decision *)tt_area_stage(host->area, host->nranks, writer, 0);
}

/* Fills members with those alive; says how many, and who of them has yet to come (-1: nobody). */
static int survivors(const struct tt_host *host, int *members, int *missing)
{
	int n = 0;

	*missing = -1;
	for (int rank = 0; rank < host->nranks; rank++) {
		bool here = atomic_load_explicit(&tt_area_desk(host->area, rank)->shrinking,
						 memory_order_acquire);
		if (rank != host->rank && tt_host_gone(host, rank))
			continue;
		members[n++] = rank;
		if (!here && *missing < 0)
			*missing = rank;
	}
	return n;
}

static totum_status write_decision(totum_comm *comm, const int *members, int n)
{
	struct tt_host *host = &comm->host;
	struct decision *decision = decision_of(host, host->rank);
	int area;
	totum_status status = tt_comm_claim(comm->job, n, &area);

	if (status)
		return status;
	decision->area = area;
	decision->n = n;
	for (int i = 0; i < n; i++)
		decision->members[i] = members[i];
	/* release: pairs with the acquire of those who read the decision */
	atomic_store_explicit(&host->head->decided, (uint32_t)host->rank + 1, memory_order_release);
	return TOTUM_OK;
}

static totum_status wait_for_decision(totum_comm *comm, int *members, uint32_t *writer)
{
	struct tt_host *host = &comm->host;
	uint64_t since = tt_clock_ns();
	int missing;

	/* acquire: pairs with the release in write_decision */
	while (!(*writer = atomic_load_explicit(&host->head->decided, memory_order_acquire))) {
		int n = survivors(host, members, &missing);
		if (missing < 0 && members[0] == host->rank &&
		    !atomic_load_explicit(&host->head->decided, memory_order_acquire)) {
			totum_status status = write_decision(comm, members, n);
			if (status)
				return status;
			continue;
		}
		if (tt_clock_ns() - since > host->timeout_ns)
			return tt_fail(TOTUM_ETIMEOUT, "rank %d waited %.3g s in totum_comm_shrink "
				       "for rank %d, which lives but has not called it", host->rank,
				       (double)host->timeout_ns * 1e-9,
				       missing < 0 ? members[0] : missing);
		nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
	}
	return TOTUM_OK;
}

/* This rank's end of the communicator that the survivors of comm have decided on. */
static totum_status open_decided(totum_comm *comm, totum_comm **out)
{
	struct tt_host *host = &comm->host;
	int *members = malloc((size_t)host->nranks * sizeof *members);
	uint32_t writer;

	if (!members)
		return tt_fail_memory((size_t)host->nranks * sizeof *members, "the survivors");
	atomic_store_explicit(&host->desk->shrinking, 1, memory_order_release);
	totum_status status = wait_for_decision(comm, members, &writer);
	bool included = false;
	const struct decision *decision = NULL;
	for (int i = 0; !status && !included; i++) {
		decision = decision_of(host, (int)writer - 1);
		if (i == decision->n)
			status = tt_fail(TOTUM_ELOST, "the other survivors have made a "
					 "communicator without rank %d", host->rank);
		else
			included = decision->members[i] == host->rank;
	}
	for (int i = 0; !status && i < decision->n; i++)
		members[i] = tt_host_name(host, decision->members[i]);
	if (!status)
		status = tt_comm_open_members(comm, members, decision->n, decision->area, NULL, out);
	free(members);
	return status;
}

/* The survivors of this host. */
static totum_status shrink_here(totum_comm *comm, totum_comm **out)
{
	totum_comm *from = comm, *next;
	totum_status status;

	for (;;) {
		status = open_decided(from, &next);
		bool opened = !status;
		if (opened)
			/* who died meanwhile is found here, by all: they shrink once more */
			status = tt_comm_barrier(next);
		if (from != comm)
			tt_comm_close(from);
		if (opened && status && status != TOTUM_ELOST)
			tt_comm_close(next);
		if (!opened || status != TOTUM_ELOST)
			break;
		from = next;
	}
	if (!status)
		*out = next;
	return status;
}

totum_status tt_comm_shrink(totum_comm *comm, totum_comm **out)
{
	if (!comm->spread)
		return shrink_here(comm, out);
	totum_comm *here;
	totum_status status = shrink_here(comm, &here);
	if (status)
		return status;
	status = tt_comm_shrink_hosts(comm, here, out);
	tt_comm_close(here);
	return status;
}
