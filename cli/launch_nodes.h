/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_nodes.h - a job whose launchers are started on each host by somebody else, and meet.
 *
 * Node 0 is the hub; it listens at the root, and the others call it there.  Both prove that they
 * know the secret, then the node says how many ranks it starts:
 *
 *	node to hub                                hub to node
 *	CALL    a nonce
 *	                                           CHALLENGE  a nonce, proof of "hub"
 *	ANSWER  proof of "node RANK", RANK, number
 *	        of nodes, ranks here, the root as
 *	        given there, version of totum
 *	                                           WELCOME    milliseconds of silence
 *
 * From there on the node is as an agent, but for its streams, which are its own, and
 *
 *	ASKED   a signal that it was sent          VERDICT    exit code of the job, and a sentence
 */
#ifndef LAUNCH_NODES_H
#define LAUNCH_NODES_H

#include "launch_hosts.h"
#include "launch_proof.h"

struct launch_options;

struct launch_nodes {
	int rank;
	const char *root; /* "HOST:PORT" as it was given */
	const char *host;
	int port;
	struct launch_secret secret;
};

/* This host's part, when it is not node 0.  Returns the exit code of the job. */
int launch_node(const struct launch_options *options, char *const argv[]);

#endif
