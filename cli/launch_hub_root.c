/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub_root - the hub's part in finding where the ranks meet, and their placing after that.
 *
 * All ranks on one host meet there by a local name.  Else rank 0's host offers addresses, and the
 * others try one after the other until one has been reached by all.
 */
#include "launch_hub.h"
#include "launch_order.h"

#include <stdio.h>
#include <string.h>

static void fail(struct hub *hub, const char *why)
{
	launch_fail_host(&hub->keeper, why);
}

void hub_place(struct hub *hub)
{
	for (int i = 0; i < hub->hosts->n; i++) {
		launch_order_place(&hub->remotes[i].channel.queue, hub->keeper.job, i);
		hub->remotes[i].stage = PLACED;
	}
	hub->placed = true;
}

static void place_at(struct hub *hub, struct launch_job *job, const char *address)
{
	launch_root_text(address, hub->offer.port, job->root, sizeof job->root);
	hub_place(hub);
}

void hub_find_root(struct hub *hub)
{
	struct wire_bytes *queue = &hub->remotes[0].channel.queue;

	if (hub->hosts->nodes) {
		hub_place_nodes(hub);
		return;
	}
	if (hub->hosts->n == 1 && !hub->hosts->root) {
		hub_place(hub);
		return;
	}
	if (!launch_random(hub->nonce, LAUNCH_NONCE / 2)) {
		fail(hub, "there are no random bytes to be had");
		return;
	}
	size_t begin = wire_begin(queue, WIRE_FIND);

	wire_int(queue, hub->hosts->port);
	wire_text(queue, hub->nonce);
	wire_finish(queue, begin);
}

/* Tries the next address. */
static void probe(struct hub *hub)
{
	hub->nprobing = hub->hosts->n - 1;
	hub->reached = true;
	for (int i = 1; i < hub->hosts->n; i++) {
		struct wire_bytes *queue = &hub->remotes[i].channel.queue;
		size_t begin = wire_begin(queue, WIRE_PROBE);

		wire_int(queue, hub->offer.probe_port);
		wire_text(queue, hub->nonce);
		wire_text(queue, hub->offer.addresses[hub->address]);
		wire_finish(queue, begin);
	}
}

static void fail_all(struct hub *hub)
{
	char why[600];
	int used = snprintf(why, sizeof why,
			    "no address of host %.64s was reached by all other "
			    "hosts (",
			    hub->remotes[0].name);

	for (int i = 0; i < hub->offer.n && used < 480; i++)
		used += snprintf(why + used, sizeof why - (size_t)used, "%s%s", i ? ", " : "",
				 hub->offer.addresses[i]);
	snprintf(why + used, sizeof why - (size_t)used,
		 "); look for a firewall between them, or give an address by --root");
	fail(hub, why);
}

void hub_take_offer(struct hub *hub, struct wire_frame *frame)
{
	if (hub->placed || hub->nprobing) {
		frame->bad = true;
		return;
	}
	launch_root_read(frame, &hub->offer);
	if (frame->bad)
		return;
	if (hub->hosts->root)
		place_at(hub, hub->job, hub->hosts->root);
	else if (!hub->offer.n)
		fail_all(hub);
	else
		probe(hub);
}

void hub_take_probed(struct hub *hub, struct wire_frame *frame)
{
	if (!hub->nprobing) {
		frame->bad = true;
		return;
	}
	hub->reached &= wire_read_int(frame) == 1;
	if (--hub->nprobing)
		return;
	if (hub->reached)
		place_at(hub, hub->job, hub->offer.addresses[hub->address]);
	else if (++hub->address < hub->offer.n)
		probe(hub);
	else
		fail_all(hub);
}
