/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reach - two transports as one.
 *
 * A transfer goes to the one that reaches its peer.  What is common is the waiting: a rank that
 * waits for the network alone sleeps in it; one that waits for both naps, since it can sleep in one
 * place only.  Before it sleeps it looks at everything that can have failed: the shared head, the
 * ranks of this host, connections, notices, the deadline.
 */
#include "runtime/reach.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "host/aside.h"
#include "host/failure.h"
#include "runtime/comm.h"
#include "runtime/notice.h"
#include "transport/memory.h"

/* without a move: looks so long while it is alone on its core, yields so long; then asks the peers
 * that it waits for where they are */
static const uint64_t spin_ns = 30000, yield_ns = 100000, ask_ns = 100000000;
/* and how long the cause of a closed connection may take to arrive */
static const uint64_t cause_ns = 800000000;
enum { NAP_NS = 200000 };

struct tt_endpoint {
	totum_comm *comm;
	struct tt_endpoint *inside; /* NULL: this rank is alone on its host */
	const struct tt_transport *network;
	struct tt_endpoint *between;
	bool messages;              /* which are waited for without a transfer of their own */
	uint64_t checked;           /* when the last look around was */
	struct tt_aside aside;
};

static totum_status reach_open(const void *context, struct tt_endpoint **out)
{
	const struct tt_reach_context *from = context;
	totum_comm *comm = from->comm;
	struct tt_endpoint *endpoint = calloc(1, sizeof *endpoint);

	if (!endpoint)
		return tt_fail_memory(sizeof *endpoint, "a transport's endpoint");
	endpoint->comm = comm;
	endpoint->messages = from->way == TT_WAY_MESSAGES;
	totum_status status = tt_spread_open(comm->spread, comm->job, from->way,
					     &endpoint->network, &endpoint->between);
	if (!status && comm->host.nranks > 1) {
		struct tt_memory_context memory = {.host = &comm->host,
						   .lane = from->lane,
						   .places = comm->spread->places};
		status = tt_transport_memory.open(&memory, &endpoint->inside);
		if (status)
			endpoint->network->close(endpoint->between);
	}
	if (status)
		free(endpoint);
	else
		*out = endpoint;
	return status;
}

static void reach_close(struct tt_endpoint *endpoint)
{
	if (endpoint->inside)
		tt_transport_memory.close(endpoint->inside);
	endpoint->network->close(endpoint->between);
	free(endpoint);
}

static bool is_near(const struct tt_endpoint *endpoint, int peer)
{
	return !tt_comm_far(endpoint->comm, peer);
}

static totum_status reach_send(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	return is_near(endpoint, transfer->peer)
		       ? tt_transport_memory.send(endpoint->inside, transfer)
		       : endpoint->network->send(endpoint->between, transfer);
}

static totum_status reach_receive(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	return is_near(endpoint, transfer->peer)
		       ? tt_transport_memory.receive(endpoint->inside, transfer)
		       : endpoint->network->receive(endpoint->between, transfer);
}

/* A peer that has closed its connection may have failed, and told why on another one. */
static void listen_for_the_cause(struct tt_endpoint *endpoint)
{
	const struct tt_head *head = endpoint->comm->host.head;

	for (uint64_t began = tt_clock_ns(); tt_clock_ns() - began < cause_ns;) {
		/* acquire: pairs with the release in tt_host_fail */
		if (atomic_load_explicit(&head->failed, memory_order_acquire) ||
		    tt_notices_go(endpoint->comm))
			return;
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	}
}

/* What the network finds is the communicator's failure, and known to this host. */
static totum_status far_failure(struct tt_endpoint *endpoint, totum_status status)
{
	char sentence[TT_FAILURE];

	if (!status)
		return TOTUM_OK;
	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	if (status == TOTUM_ELOST)
		listen_for_the_cause(endpoint);
	return tt_host_fail(&endpoint->comm->host, status, -1, "%s", sentence);
}

static totum_status reach_progress(struct tt_endpoint *endpoint, bool *moved)
{
	bool inside = false;
	totum_status status = TOTUM_OK;

	*moved = false;
	if (endpoint->inside)
		status = tt_transport_memory.progress(endpoint->inside, &inside);
	if (!status)
		status = far_failure(endpoint,
				     endpoint->network->progress(endpoint->between, moved));
	*moved |= inside;
	if (*moved) {
		tt_host_show_wait(&endpoint->comm->host, -1);
		tt_notices_show_wait(endpoint->comm, -1);
	}
	return status;
}

static bool reach_waits(const struct tt_endpoint *endpoint, int peer)
{
	return is_near(endpoint, peer) ? tt_transport_memory.waits(endpoint->inside, peer)
				       : endpoint->network->waits(endpoint->between, peer);
}

static bool waits_inside(const struct tt_endpoint *endpoint)
{
	const struct tt_spread *spread = endpoint->comm->spread;

	for (int i = 0; i < spread->here; i++)
		if (spread->named[i] != spread->rank && reach_waits(endpoint, spread->named[i]))
			return true;
	return false;
}

/* "1 on host a (in call 4, barrier(), waits for rank 2), 3 on host b (has not answered)". */
static void list_late(const struct tt_endpoint *endpoint, char *out, size_t size)
{
	const totum_comm *comm = endpoint->comm;
	const struct tt_spread *spread = comm->spread;
	char state[TT_NOTICE_TEXT], near[TT_ABSENT];
	size_t at = 0;
	int more = 0;

	out[0] = 0;
	for (int peer = 0; peer < comm->nranks; peer++) {
		if (peer == comm->rank || !reach_waits(endpoint, peer))
			continue;
		if (at + TT_NOTICE_TEXT + TT_HOST_NAME + 48 > size) {
			more++;
			continue;
		}
		const char *host = spread->cards[peer].host;
		if (spread->places[peer] >= 0)
			at += (size_t)snprintf(
				out + at, size - at, "%s%s on host %s", at ? ", " : "",
				tt_host_describe(&comm->host, spread->places[peer], near), host);
		else
			at += (size_t)snprintf(out + at, size - at, "%s%d on host %s%s",
					       at ? ", " : "", peer, host,
					       tt_notices_describe(comm, peer, state));
	}
	if (more)
		snprintf(out + at, size - at, " and %d more", more);
}

/* Does every rank that this one waits for wait for another one? */
static bool all_wait(const struct tt_endpoint *endpoint)
{
	const totum_comm *comm = endpoint->comm;

	for (int peer = 0; peer < comm->nranks; peer++)
		if (peer != comm->rank && reach_waits(endpoint, peer) &&
		    !(is_near(endpoint, peer)
			      ? tt_host_waits(&comm->host, comm->spread->places[peer])
			      : tt_notices_waits(comm, peer)))
			return false;
	return true;
}

static totum_status check_deadline(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now)
{
	struct tt_host *host = &endpoint->comm->host;
	char late[640];

	if (now < idle_since || now - idle_since < host->timeout_ns ||
	    !tt_host_late(host, now - idle_since, all_wait(endpoint)))
		return TOTUM_OK;
	list_late(endpoint, late, sizeof late);
	if (!late[0])
		return TOTUM_OK;
	return tt_host_fail(host, TOTUM_ETIMEOUT, -1,
			    "rank %d on host %s waited %.3g s in call %" PRIu64 " for rank %s; "
			    "find out why these are late, or raise TOTUM_TIMEOUT",
			    endpoint->comm->rank,
			    endpoint->comm->spread->cards[endpoint->comm->rank].host,
			    (double)host->timeout_ns * 1e-9, host->calls, late);
}

static void ask(const struct tt_endpoint *endpoint)
{
	for (int peer = 0; peer < endpoint->comm->nranks; peer++)
		if (!is_near(endpoint, peer) && reach_waits(endpoint, peer))
			tt_notices_ask(endpoint->comm, peer);
}

/* Shows the ranks of this host, and those that ask from others, one that this rank waits for. */
static void show_wait(const struct tt_endpoint *endpoint)
{
	totum_comm *comm = endpoint->comm;
	int here = -1, anywhere = -1, shown = -1;

	for (int peer = 0; peer < comm->nranks; peer++) {
		if (peer == comm->rank || !reach_waits(endpoint, peer))
			continue;
		anywhere = peer;
		if (is_near(endpoint, peer))
			here = peer;
	}
	if (here >= 0)
		shown = comm->spread->places[here];
	else if (anywhere >= 0)
		shown = TT_WAITS_FAR;
	tt_host_show_wait(&comm->host, shown);
	tt_notices_show_wait(comm, here < 0 ? anywhere : here);
}

static totum_status look_around(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now)
{
	struct tt_host *host = &endpoint->comm->host;

	/* acquire: pairs with the release in tt_host_fail */
	if (atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return tt_host_failed(host);
	bool late = now > idle_since && now - idle_since > ask_ns;
	if (late)
		ask(endpoint);
	show_wait(endpoint);
	totum_status status = late ? tt_notices_look(endpoint->comm) : TOTUM_OK;
	if (!status)
		status = far_failure(endpoint, tt_notices_go(endpoint->comm));
	if (!status && endpoint->inside)
		status = tt_transport_memory.check(endpoint->inside, now);
	if (!status)
		status = far_failure(endpoint, endpoint->network->check(endpoint->between, now));
	return status ? status : check_deadline(endpoint, idle_since, now);
}

static totum_status reach_check(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	return look_around(endpoint, idle_since, tt_clock_ns());
}

/* The only rank of its host, and with a core: others of the host would be kept from theirs. */
static bool has_core(const struct tt_endpoint *endpoint)
{
	return !endpoint->inside && endpoint->comm->host.wait == TT_WAIT_SPIN;
}

/* Whoever needs this core may have it; a rank that could have another one then takes that. */
static void yield(struct tt_endpoint *endpoint, uint64_t now)
{
	sched_yield();
	if (!has_core(endpoint))
		return;
	uint64_t end = tt_clock_ns();
	if (tt_aside_counts(&endpoint->aside, end, end - now))
		tt_step_aside();
}

static totum_status reach_wait(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	uint64_t now = tt_clock_ns();

	if (now < idle_since + spin_ns && has_core(endpoint) && !endpoint->aside.shared) {
		tt_pause();
		return TOTUM_OK;
	}
	if (now < idle_since + yield_ns) {
		yield(endpoint, now);
		return TOTUM_OK;
	}
	if (now - endpoint->checked > yield_ns) {
		endpoint->checked = now;
		totum_status status = look_around(endpoint, idle_since, now);
		if (status)
			return status;
	}
	if (endpoint->inside && (endpoint->messages || waits_inside(endpoint))) {
		tt_host_nap(&endpoint->comm->host, idle_since);
		return TOTUM_OK;
	}
	/* its deadline is far away, and what it finds is found again above */
	return far_failure(endpoint, endpoint->network->wait(endpoint->between, idle_since));
}

static void reach_cancel(struct tt_endpoint *endpoint)
{
	if (endpoint->inside)
		tt_transport_memory.cancel(endpoint->inside);
	endpoint->network->cancel(endpoint->between);
}

const struct tt_transport tt_transport_reach = {
	.name = "reach",
	.open = reach_open,
	.close = reach_close,
	.send = reach_send,
	.receive = reach_receive,
	.progress = reach_progress,
	.wait = reach_wait,
	.check = reach_check,
	.waits = reach_waits,
	.cancel = reach_cancel,
};
