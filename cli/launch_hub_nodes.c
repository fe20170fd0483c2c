/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub_nodes - the hub's part where nodes are started by somebody else and come by
 * themselves.
 *
 * Each says how many ranks it starts; when all are here, node 0 gives them numbers: those of a node
 * follow one another, in the order of nodes.  The port at which the nodes met becomes rank 0's.
 * When the job is over all are told the verdict, so that each launcher ends alike.
 */
#include "launch_hub.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <totum.h>

static const double last_words = 2;

/* Why there is no place for a guest; NULL: there is. */
static const char *find_fault(const struct hub *hub, const struct launch_guest *guest, char *why,
			      size_t size)
{
	const struct launch_nodes *nodes = hub->hosts->nodes;

	if (strcmp(guest->version, totum_version()))
		snprintf(why, size,
			 "node %d has totum %.32s, and node 0 has %.32s; install the same",
			 guest->rank, guest->version, totum_version());
	else if (guest->nnodes != hub->hosts->n)
		snprintf(why, size, "node %d was started with --nnodes %d, and node 0 with %d",
			 guest->rank, guest->nnodes, hub->hosts->n);
	else if (strcmp(guest->root, nodes->root))
		snprintf(why, size, "node %d was started with --root %.80s, and node 0 with %.80s",
			 guest->rank, guest->root, nodes->root);
	else if (guest->rank < 1 || guest->rank >= hub->hosts->n)
		snprintf(why, size, "there is no node %d of %d", guest->rank, hub->hosts->n);
	else if (guest->nranks < 1 || guest->nranks > LAUNCH_MAX_RANKS)
		snprintf(why, size, "node %d cannot start %d ranks", guest->rank, guest->nranks);
	else if (hub->remotes[guest->rank].stage != CALLED)
		snprintf(why, size, "node %d is here already, from %.64s; give another --node-rank",
			 guest->rank, hub->remotes[guest->rank].from);
	else
		return NULL;
	return why;
}

void hub_take_guest(void *context, const struct launch_guest *guest)
{
	struct hub *hub = context;
	struct wire_bytes *queue = &guest->channel->queue;
	char why[320];

	if (find_fault(hub, guest, why, sizeof why)) {
		size_t begin = wire_begin(queue, WIRE_VERDICT);

		wire_int(queue, LAUNCH_FAULT);
		wire_text(queue, why);
		wire_finish(queue, begin);
		wire_flush(guest->channel);
		launch_say(&hub->keeper, "somebody from %.64s was sent away: %s", guest->from, why);
		return;
	}
	struct remote *remote = &hub->remotes[guest->rank];

	hub->hosts->list[guest->rank].nranks = guest->nranks;
	snprintf(remote->from, sizeof remote->from, "%s", guest->from);
	remote->channel = *guest->channel;
	*guest->channel = (struct wire_channel){.in = -1, .out = -1};
	remote->greeted = true;
	remote->heard = launch_now();
	hub_send(remote, WIRE_WELCOME, 1, (int[]){(int)(1e3 * hub->hosts->silence)});
	hub_prepared(hub, remote);
}

void hub_say_stranger(void *context, const char *from)
{
	struct hub *hub = context;

	launch_say(&hub->keeper,
		   "somebody from %.64s does not know the secret; if that is a node, "
		   "give all nodes the same --secret-file",
		   from);
}

void hub_open_door(struct hub *hub)
{
	const struct launch_nodes *nodes = hub->hosts->nodes;
	char why[160];

	launch_proof(&nodes->secret, hub->job->id, "", "", hub->job->secret);
	if (launch_door_open(&hub->door, nodes))
		return;
	snprintf(why, sizeof why,
		 "cannot listen at port %d for the other nodes: %s; give another "
		 "one by --root",
		 nodes->port, strerror(errno));
	launch_fail_host(&hub->keeper, why);
}

/* Numbers all ranks; false where they are too many. */
static bool number(struct hub *hub)
{
	struct launch_hosts *hosts = hub->hosts;
	int size = 0, rank = 0;

	for (int i = 0; i < hosts->n && size <= LAUNCH_MAX_RANKS; i++)
		size += hosts->list[i].nranks;
	if (size > LAUNCH_MAX_RANKS)
		return false;
	hosts->host_of = calloc((size_t)size, sizeof *hosts->host_of);
	hub->keeper.ranks = calloc((size_t)size, sizeof *hub->keeper.ranks);
	if (!hosts->host_of || !hub->keeper.ranks)
		return false;
	for (int i = 0; i < hosts->n; i++)
		for (int k = 0; k < hosts->list[i].nranks; k++)
			hosts->host_of[rank++] = i;
	hub->job->size = hub->keeper.nranks = size;
	return true;
}

void hub_place_nodes(struct hub *hub)
{
	char why[96];

	launch_door_close(&hub->door);
	if (!number(hub)) {
		snprintf(why, sizeof why,
			 "the nodes have more ranks than the %d that a job may have",
			 LAUNCH_MAX_RANKS);
		launch_fail_host(&hub->keeper, why);
		return;
	}
	snprintf(hub->job->root, sizeof hub->job->root, "tcp://%s", hub->hosts->nodes->root);
	hub_place(hub);
}

void hub_tell_verdict(struct hub *hub, int code)
{
	double deadline = launch_now() + last_words;
	struct pollfd ready;

	launch_door_close(&hub->door);
	if (hub->keeper.ending.cause == CAUSE_ORPHANED) { /* which is no news to them only */
		snprintf(hub->said, sizeof hub->said, "node 0 at %s is lost: its totum run was killed",
			 hub->hosts->nodes->root);
		code = LAUNCH_FAULT;
	}
	for (int i = 1; i < hub->hosts->n; i++) {
		struct wire_channel *channel = &hub->remotes[i].channel;

		if (channel->out < 0)
			continue;
		size_t begin = wire_begin(&channel->queue, WIRE_VERDICT);

		wire_int(&channel->queue, code);
		wire_text(&channel->queue, hub->said);
		wire_finish(&channel->queue, begin);
		while (wire_flush(channel) && channel->queue.used && launch_now() < deadline) {
			ready = (struct pollfd){.fd = channel->out, .events = POLLOUT};
			poll(&ready, 1, 100);
		}
		wire_close(channel);
	}
}
