/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub_hear - what the hub hears from a host, and what follows for the job.
 *
 * A frame that does not fit the host's stage, or the ranks that it has, is not obeyed: the host is
 * given up.
 */
#include "launch_hub.h"
#include "launch_order.h"

#include <stdio.h>
#include <string.h>
#include <totum.h>

enum { NOISE = 1 << 16 }; /* that a login may print before the agent speaks */

static const double last_words = 2; /* seconds that ssh has to end when its channel has ended */

/* What will not be heard of any more counts as killed. */
static void drop_ranks(struct hub *hub, int host)
{
	for (int r = 0; r < hub->keeper.nranks; r++) {
		struct rank *rank = &hub->keeper.ranks[r];

		if (hub->hosts->host_of[r] != host || !rank->pid || rank->ended)
			continue;
		rank->ended = true;
		rank->status = SIGKILL;
		hub->keeper.nrunning--;
	}
}

/* The channel has ended, or must: for good where all has been said, else ssh may tell why. */
static void fade(struct hub *hub, struct remote *remote)
{
	wire_close(&remote->channel);
	if (remote->stage < DONE) {
		remote->stage = FADING;
		drop_ranks(hub, (int)(remote - hub->remotes));
	}
	remote->deadline = launch_now() + last_words;
}

void hub_fail_host(struct hub *hub, struct remote *remote, const char *text)
{
	char why[700], name[80];

	hub_name(hub, remote, name, sizeof name);
	snprintf(why, sizeof why, "%s: %.600s", name, text);
	fade(hub, remote);
	launch_fail_host(&hub->keeper, why);
}

static void greet(struct hub *hub, struct remote *remote, struct wire_frame *frame)
{
	const char *version = wire_read_text(frame);
	char why[128];

	if (strcmp(version, totum_version())) {
		snprintf(why, sizeof why,
			 "it has totum %.32s, and here it is %.32s; install the "
			 "same",
			 version, totum_version());
		hub_fail_host(hub, remote, why);
		return;
	}
	launch_order_put(&remote->channel.queue, hub->job, remote->name);
	remote->stage = BRIEFED;
}

void hub_prepared(struct hub *hub, struct remote *remote)
{
	remote->stage = PREPARED;
	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].stage != PREPARED)
			return;
	hub_find_root(hub);
}

/* The rank that a frame is about, if it is of that host; else the frame is bad. */
static int read_rank(const struct hub *hub, int host, struct wire_frame *frame)
{
	int rank = wire_read_int(frame);

	if (rank >= 0 && rank < hub->keeper.nranks && hub->hosts->host_of[rank] == host &&
	    !frame->bad)
		return rank;
	frame->bad = true;
	return -1;
}

static void take_start(struct hub *hub, int host, struct wire_frame *frame)
{
	int rank = read_rank(hub, host, frame), pid = wire_read_int(frame);

	if (frame->bad || hub->keeper.ranks[rank].pid || pid <= 0) {
		frame->bad = true;
		return;
	}
	hub->keeper.ranks[rank].pid = pid;
	hub->keeper.nrunning++;
}

static void take_failure(struct hub *hub, int host, struct wire_frame *frame)
{
	int rank = read_rank(hub, host, frame), error = wire_read_int(frame);
	const char *what = wire_read_text(frame);

	if (frame->bad || hub->keeper.stage >= ENDING)
		return;
	snprintf(hub->keeper.ending.why, sizeof hub->keeper.ending.why, "%s", what);
	launch_fail_start(&hub->keeper, &(struct launch_failure){
						.rank = rank,
						.error = error,
						.what = *what ? hub->keeper.ending.why : NULL,
					});
}

/* Returns the more telling end of a rank: this one or the one before. */
static int take_end(struct hub *hub, int host, struct wire_frame *frame, int worst)
{
	int rank = read_rank(hub, host, frame), status = wire_read_int(frame);
	bool by_itself = wire_read_int(frame);

	if (frame->bad || !hub->keeper.ranks[rank].pid || hub->keeper.ranks[rank].ended) {
		frame->bad = true;
		return worst;
	}
	worst = launch_note_end(&hub->keeper, rank, status, worst);
	if (by_itself)
		launch_blame(&hub->keeper, rank);
	return worst;
}

static void take_done(struct hub *hub, struct remote *remote, struct wire_frame *frame)
{
	hub->keeper.ending.output_lost |= wire_read_int(frame) != 0;
	remote->stage = DONE;
	if (*remote->from)
		remote->deadline = launch_now(); /* it waits for the verdict */
	else
		fade(hub, remote);
}

static int take(struct hub *hub, int host, struct wire_frame *frame, int worst)
{
	struct remote *remote = &hub->remotes[host];

	switch (frame->kind) {
	case WIRE_STARTED:
		take_start(hub, host, frame);
		break;
	case WIRE_FAILED:
		take_failure(hub, host, frame);
		break;
	case WIRE_ENDED:
		return take_end(hub, host, frame, worst);
	case WIRE_OUTPUT:
		hub_take_output(hub, host, frame);
		break;
	case WIRE_READ:
		hub->window += wire_read_int(frame);
		break;
	case WIRE_OFFER:
		hub_take_offer(hub, frame);
		break;
	case WIRE_PROBED:
		hub_take_probed(hub, frame);
		break;
	case WIRE_SAY:
		launch_say(&hub->keeper, "%s", wire_read_text(frame));
		break;
	case WIRE_FAULT:
		hub_fail_host(hub, remote, wire_read_text(frame));
		break;
	case WIRE_DONE:
		take_done(hub, remote, frame);
		break;
	default:
		frame->bad = true;
	}
	return worst;
}

/* Does what a frame says, if it is one for this stage. */
static int take_staged(struct hub *hub, int host, struct wire_frame *frame, int worst)
{
	struct remote *remote = &hub->remotes[host];

	if (frame->kind == WIRE_HELLO && remote->stage == CALLED)
		greet(hub, remote, frame);
	else if (frame->kind == WIRE_READY && remote->stage == BRIEFED)
		hub_prepared(hub, remote);
	else if (frame->kind == WIRE_ASKED && *remote->from)
		launch_take_signal(&hub->keeper, wire_read_int(frame));
	else if (frame->kind == WIRE_PULSE)
		return worst; /* that something has come is all it says */
	else if (remote->stage == PLACED || frame->kind == WIRE_FAULT ||
		 frame->kind == WIRE_OFFER || frame->kind == WIRE_PROBED)
		return take(hub, host, frame, worst);
	else
		frame->bad = true;
	return worst;
}

/* Skips what a login has printed; true when the agent has begun to speak. */
static bool greeted(struct remote *remote)
{
	struct wire_bytes *got = &remote->channel.got;
	const size_t length = strlen(wire_greeting);
	unsigned char *at = got->used ? memmem(got->data, got->used, wire_greeting, length) : NULL;

	if (at) {
		wire_drop(got, (size_t)(at - got->data) + length);
		remote->greeted = true;
	}
	return remote->greeted;
}

int hub_hear(struct hub *hub, int host, int worst)
{
	struct remote *remote = &hub->remotes[host];
	struct wire_frame frame = {0};
	bool lives = wire_receive(&remote->channel);

	remote->heard = launch_now();

	if (!remote->greeted && !greeted(remote)) {
		if (remote->channel.got.used > NOISE)
			hub_fail_host(hub, remote, "what answers there is not totum");
		else if (!lives)
			fade(hub, remote);
		return worst;
	}
	while (!frame.bad && remote->channel.in >= 0 && wire_next(&remote->channel, &frame))
		worst = take_staged(hub, host, &frame, worst);
	if (remote->channel.in >= 0 && (frame.bad || remote->channel.broken))
		hub_fail_host(hub, remote, "what it says is not understood");
	else if (remote->channel.in >= 0 && !lives)
		fade(hub, remote);
	return worst;
}
