/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_wire.h - frames between the launcher's processes on different hosts.
 *
 * A frame is a word that says its kind, a word that says how many bytes follow, and these; words
 * have 32 bits, the highest first.  Who speaks of a rank means its number in the job.
 *
 *	agent to hub                             hub to agent
 *	HELLO   version of totum                 JOB     see launch_order.c
 *	READY   after JOB: all is prepared
 *	OFFER   see launch_root.c                FIND, PROBE   see launch_root.c
 *	PROBED  see launch_root.c                PLACE   size of the job, its id, its root, and the
 *	STARTED rank, pid                                ranks of this host: start them
 *	FAILED  rank, errno, what (see           SIGNAL  number: to the ranks
 *	        launch_failure; "": exec)        INPUT   bytes for rank 0
 *	ENDED   rank, status of waitpid, 1 if    END     no more input
 *	        nobody had asked it to end
 *	SAY     a sentence to print              TAKEN   stream, bytes of OUTPUT that are written
 *	FAULT   why this host cannot go on       CLOSED  stream: nobody reads its output any more
 *	OUTPUT  stream (1 or 2), bytes
 *	READ    bytes of INPUT that are read
 *	DONE    1 where output was lost: all is over here
 *
 * Both send a PULSE when nothing else has been sent for a while: who hears nothing takes the other
 * for lost.  At most WIRE_WINDOW bytes of INPUT, and of OUTPUT of a stream, are on their way: neither end ever
 * has to hold more, and other frames never wait behind them for long.
 */
#ifndef LAUNCH_WIRE_H
#define LAUNCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum wire_kind {
	WIRE_HELLO = 1,
	WIRE_READY,
	WIRE_OFFER,
	WIRE_PROBED,
	WIRE_STARTED,
	WIRE_FAILED,
	WIRE_ENDED,
	WIRE_SAY,
	WIRE_FAULT,
	WIRE_OUTPUT,
	WIRE_READ,
	WIRE_DONE,
	WIRE_JOB = 32,
	WIRE_FIND,
	WIRE_PROBE,
	WIRE_PLACE,
	WIRE_SIGNAL,
	WIRE_INPUT,
	WIRE_END,
	WIRE_TAKEN,
	WIRE_CLOSED,
	WIRE_PULSE = 64,
	/* between nodes: see launch_nodes.h */
	WIRE_CALL = 96,
	WIRE_CHALLENGE,
	WIRE_ANSWER,
	WIRE_WELCOME,
	WIRE_ASKED,
	WIRE_VERDICT
};

enum { WIRE_CHUNK = 1 << 16, WIRE_WINDOW = 4 * WIRE_CHUNK };

/* What an agent says first: what a login shell has printed before it is skipped. */
extern const char wire_greeting[];

/* Bytes that grow; the process ends with a sentence where memory does. */
struct wire_bytes {
	unsigned char *data;
	size_t used, room;
};
void wire_append(struct wire_bytes *bytes, const void *data, size_t size);
/* Removes the first bytes. */
void wire_drop(struct wire_bytes *bytes, size_t size);

/* Begins a frame at the end of bytes; wire_finish, with what this returns, ends it. */
size_t wire_begin(struct wire_bytes *bytes, enum wire_kind kind);
void wire_int(struct wire_bytes *bytes, int value);
void wire_text(struct wire_bytes *bytes, const char *text);
void wire_finish(struct wire_bytes *bytes, size_t begin);
/* A whole frame that holds n numbers. */
void wire_ints(struct wire_bytes *bytes, enum wire_kind kind, int n, const int values[]);
/* A whole frame that holds a text. */
void wire_say(struct wire_bytes *bytes, enum wire_kind kind, const char *text);

struct wire_frame {
	enum wire_kind kind;
	const unsigned char *at; /* what has not been read of it */
	size_t size;
	bool bad; /* more was read than it holds */
};
int wire_read_int(struct wire_frame *frame);
/* A text, valid as long as the frame; never NULL. */
const char *wire_read_text(struct wire_frame *frame);

struct wire_channel {
	int in, out; /* -1: closed */
	struct wire_bytes got, queue;
	size_t taken; /* of got: the frame that is being looked at */
	bool broken;  /* what came is no frame */
};
/* Reads what is there; false at the end.  Closes nothing. */
bool wire_receive(struct wire_channel *channel);
/* The next whole frame, valid until the next call of this or of wire_receive. */
bool wire_next(struct wire_channel *channel, struct wire_frame *frame);
/* Writes what can be written without waiting; false when the other end is gone. */
bool wire_flush(struct wire_channel *channel);
/* Closes both ways and forgets what was on them. */
void wire_close(struct wire_channel *channel);

/* Writes no more than does not make it wait, though fd may be blocking; -1 with errno. */
ssize_t wire_write_some(int fd, const void *data, size_t size);

#endif
