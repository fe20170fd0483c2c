/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_hub.h - the state of a job on several hosts, for the files that make the hub. */
#ifndef LAUNCH_HUB_H
#define LAUNCH_HUB_H

#include "launch_door.h"
#include "launch_keeper.h"
#include "launch_root.h"

enum remote_stage {
	CALLED,   /* ssh is on its way */
	BRIEFED,  /* the agent has come and been given the JOB */
	PREPARED, /* has done what can be done before the ranks start */
	PLACED,   /* starts its ranks, or has */
	DONE,     /* has said that all is over there */
	FADING,   /* its channel has ended; what ssh has to say may follow */
	GONE
};

/* A host. */
struct remote {
	const char *name;
	char from[LAUNCH_ADDRESS]; /* a node's address */
	pid_t pid;                 /* of ssh; 0: has ended */
	int status;
	struct wire_channel channel;
	bool greeted;        /* the noise of a login is over */
	int complaints;      /* ssh's standard error; -1: closed */
	char complaint[320]; /* its last line */
	enum remote_stage stage;
	double deadline;             /* FADING, DONE: until it is GONE */
	double heard;                /* when it has last said something */
	struct wire_bytes output[2]; /* that waits to be written */
};

struct hub {
	struct keeper keeper; /* of all ranks of the job; begins the hub */
	struct launch_hosts *hosts;
	struct launch_job *job;
	struct remote *remotes; /* hosts->n of them */
	double start_deadline;  /* until all are PLACED */
	double next_pulse;
	bool placed;
	/* the root: what was offered, and the address that is being tried */
	struct launch_offer offer;
	char nonce[LAUNCH_NONCE + 1];
	int address, nprobing;
	bool reached;
	/* streams */
	int window; /* of INPUT */
	bool input_ended;
	int outs[2];                /* where output is written to */
	bool closed[2];             /* nobody reads what we write there */
	struct launch_door door;    /* where nodes come in */
	char said[LAUNCH_SENTENCE]; /* the last sentence */
	int holder[2]; /* the host in whose line the stream is; -1: at a line's beginning */
};

/* Starts ssh; false with errno. */
bool hub_call(struct hub *hub, int host);
/* Reads ssh's standard error. */
void hub_hear_complaints(struct remote *remote);
/* Why there is no getting at it, as one sentence. */
void hub_tell_loss(const struct hub *hub, const struct remote *remote, char *out, size_t size);

/*
 * Reads what a host has sent and does what follows; returns the rank with the most telling end of
 * all that have been heard of in this step, `worst` before (-1: none).
 */
int hub_hear(struct hub *hub, int host, int worst);
/* Gives up a host, for a reason that is said, and so the job. */
void hub_fail_host(struct hub *hub, struct remote *remote, const char *text);

/* Sends a frame of a kind to a host: n numbers. */
void hub_send(struct remote *remote, enum wire_kind kind, int n, const int values[]);

/* A host has done all before its ranks start; if it is the last one they do. */
void hub_prepared(struct hub *hub, struct remote *remote);
/* What it is called in sentences: "host a", "node 1". */
void hub_name(const struct hub *hub, const struct remote *remote, char *out, size_t size);

/* Nodes: at the start; for the door; when all are here; when all is over. */
void hub_open_door(struct hub *hub);
void hub_take_guest(void *context, const struct launch_guest *guest);
void hub_say_stranger(void *context, const char *from);
void hub_place_nodes(struct hub *hub);
void hub_tell_verdict(struct hub *hub, int code);

/* All are PREPARED: places the ranks, now or when the root has been found. */
void hub_find_root(struct hub *hub);
void hub_take_offer(struct hub *hub, struct wire_frame *frame);
void hub_take_probed(struct hub *hub, struct wire_frame *frame);
/* Gives all hosts their ranks. */
void hub_place(struct hub *hub);

/* Reads the standard input, which is ready, for rank 0. */
void hub_pass_input(struct hub *hub);
/* Makes writing to the streams never wait, if that can be without a change to the caller's. */
void hub_open_streams(struct hub *hub);
bool hub_wants_input(const struct hub *hub);
/* Keeps output of a host, and writes what can be written without waiting. */
void hub_take_output(struct hub *hub, int host, struct wire_frame *frame);
void hub_write_output(struct hub *hub);
/* Is there something that may be written now to stream 0 (output) or 1 (error)? */
bool hub_has_output(const struct hub *hub, int stream);

#endif
