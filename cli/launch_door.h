/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_door.h - where the hub listens for nodes, and lets in who proves to be one. */
#ifndef LAUNCH_DOOR_H
#define LAUNCH_DOOR_H

#include "launch_nodes.h"
#include "launch_root.h"
#include "launch_wire.h"

#include <poll.h>

enum { LAUNCH_CALLERS = 64 };

/* Somebody who has not proven anything. */
struct launch_caller {
	struct wire_channel channel;
	double deadline;
	char from[LAUNCH_ADDRESS];
	char theirs[LAUNCH_NONCE + 1], ours[LAUNCH_NONCE + 1];
	bool challenged;
};

struct launch_door {
	const struct launch_nodes *nodes;
	int held;     /* bound to the port to the end of the job: see launch_root.c */
	int listener; /* -1: closed, all are here */
	struct launch_caller callers[LAUNCH_CALLERS];
	int ncallers;
	bool stranger; /* one with another secret was told of */
};

/* A node that has proven to be one.  The channel and the frame's end go over to the taker. */
struct launch_guest {
	int rank, nnodes, nranks;
	const char *root, *version, *from;
	struct wire_channel *channel;
};

/* Listens at the root's port; false with errno. */
bool launch_door_open(struct launch_door *door, const struct launch_nodes *nodes);
/* Nobody else is let in; the port stays ours. */
void launch_door_close(struct launch_door *door);

/* Fills 1 + LAUNCH_CALLERS places. */
void launch_door_poll(const struct launch_door *door, struct pollfd *polls);
/*
 * Deals with what these say: calls take() for each guest, and say() with the address of one that
 * does not know the secret, the first time.
 */
void launch_door_step(struct launch_door *door, const struct pollfd *polls, void *context,
		      void (*take)(void *context, const struct launch_guest *guest),
		      void (*say)(void *context, const char *from));

#endif
