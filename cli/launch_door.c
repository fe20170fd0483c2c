/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_door - strangers are many and must cost nothing.
 *
 * Who calls has a place of 64, ten seconds, and room for one short frame until the proof; when the
 * places are all taken, who has been there longest goes.  A stranger is sent away in silence.
 */
#include "launch_door.h"
#include "launch_keeper.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST = 1024 };

static const double patience = 10;
static const char mapped[] = "::ffff:"; /* begins an old address in the new form */

bool launch_door_open(struct launch_door *door, const struct launch_nodes *nodes)
{
	int port = nodes->port;

	door->nodes = nodes;
	door->listener = -1;
	door->held = launch_root_bind(&port, false); /* first, while nobody listens there */
	if (door->held < 0)
		return false;
	door->listener = launch_root_bind(&port, true);
	return door->listener >= 0;
}

/* Takes a caller out of its place. */
static struct launch_caller leave(struct launch_door *door, int i)
{
	struct launch_caller caller = door->callers[i];

	door->ncallers--;
	memmove(&door->callers[i], &door->callers[i + 1],
		(size_t)(door->ncallers - i) * sizeof *door->callers);
	return caller;
}

static void dismiss(struct launch_door *door, int i)
{
	struct launch_caller caller = leave(door, i);

	wire_close(&caller.channel);
}

void launch_door_close(struct launch_door *door)
{
	while (door->ncallers)
		dismiss(door, 0);
	if (door->listener >= 0)
		close(door->listener);
	door->listener = -1;
}

void launch_door_poll(const struct launch_door *door, struct pollfd *polls)
{
	polls[0] = (struct pollfd){.fd = door->listener, .events = POLLIN};
	for (int i = 0; i < LAUNCH_CALLERS; i++)
		polls[1 + i] = (struct pollfd){
			.fd = i < door->ncallers ? door->callers[i].channel.in : -1,
			.events = POLLIN,
		};
}

static void admit(struct launch_door *door)
{
	struct sockaddr_storage address = {0};
	socklen_t size = sizeof address;
	int fd = accept4(door->listener, (struct sockaddr *)&address, &size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (door->ncallers == LAUNCH_CALLERS)
		dismiss(door, 0);
	struct launch_caller *caller = &door->callers[door->ncallers++];

	*caller = (struct launch_caller){
		.channel = {.in = fd, .out = fd},
		.deadline = launch_now() + patience,
	};
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	char text[LAUNCH_ADDRESS];

	if (getnameinfo((struct sockaddr *)&address, size, text, sizeof text, NULL, 0,
			NI_NUMERICHOST))
		strcpy(text, "?");
	snprintf(caller->from, sizeof caller->from, "%s",
		 strncmp(text, mapped, strlen(mapped)) ? text : text + strlen(mapped));
}

static void challenge(const struct launch_door *door, struct launch_caller *caller,
		      struct wire_frame *frame)
{
	char proof[LAUNCH_PROOF + 1];

	snprintf(caller->theirs, sizeof caller->theirs, "%s", wire_read_text(frame));
	if (frame->bad || !launch_random(caller->ours, LAUNCH_NONCE / 2)) {
		frame->bad = true;
		return;
	}
	launch_proof(&door->nodes->secret, "hub", caller->theirs, caller->ours, proof);
	size_t begin = wire_begin(&caller->channel.queue, WIRE_CHALLENGE);

	wire_text(&caller->channel.queue, caller->ours);
	wire_text(&caller->channel.queue, proof);
	wire_finish(&caller->channel.queue, begin);
	caller->challenged = true;
	frame->bad = !wire_flush(&caller->channel);
}

/* True when the answer proves a guest. */
static bool read_answer(const struct launch_door *door, struct launch_caller *caller,
			struct wire_frame *frame, struct launch_guest *guest)
{
	char who[32], proof[LAUNCH_PROOF + 1];
	const char *theirs = wire_read_text(frame);

	guest->rank = wire_read_int(frame);
	guest->nnodes = wire_read_int(frame);
	guest->nranks = wire_read_int(frame);
	guest->root = wire_read_text(frame);
	guest->version = wire_read_text(frame);
	snprintf(who, sizeof who, "node %d", guest->rank);
	launch_proof(&door->nodes->secret, who, caller->theirs, caller->ours, proof);
	return !frame->bad && launch_proof_equal(proof, theirs);
}

enum outcome { STAYS, GOES, IS_GUEST };

static enum outcome hear(const struct launch_door *door, struct launch_caller *caller,
			 struct launch_guest *guest)
{
	struct wire_frame frame;
	bool lives = wire_receive(&caller->channel);

	if (caller->channel.got.used > LONGEST)
		return GOES;
	while (wire_next(&caller->channel, &frame)) {
		if (frame.kind == WIRE_CALL && !caller->challenged)
			challenge(door, caller, &frame);
		else if (frame.kind == WIRE_ANSWER && caller->challenged)
			return read_answer(door, caller, &frame, guest) ? IS_GUEST : GOES;
		else
			return GOES;
		if (frame.bad)
			return GOES;
	}
	return lives && !caller->channel.broken ? STAYS : GOES;
}

void launch_door_step(struct launch_door *door, const struct pollfd *polls, void *context,
		      void (*take)(void *context, const struct launch_guest *guest),
		      void (*say)(void *context, const char *from))
{
	for (int i = door->ncallers - 1; i >= 0 && door->listener >= 0; i--) { /* some go */
		struct launch_guest guest = {0};
		enum outcome outcome = STAYS;

		if (polls[1 + i].revents)
			outcome = hear(door, &door->callers[i], &guest);
		if (outcome == STAYS && launch_now() < door->callers[i].deadline)
			continue;
		struct launch_caller caller = leave(door, i);

		guest.channel = &caller.channel;
		guest.from = caller.from;
		if (outcome == IS_GUEST) {
			take(context, &guest); /* which may close the door */
		} else if (caller.challenged && !door->stranger) {
			door->stranger = true;
			say(context, caller.from);
		}
		wire_close(&caller.channel);
	}
	if (polls[0].revents && door->listener >= 0)
		admit(door);
}
