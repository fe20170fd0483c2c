/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execute.h - runs any program over any transport.
 *
 * A step starts when the steps it waits for are done and the earlier steps on its link have been
 * started; receives are posted before anything is waited for, so that no schedule can deadlock.
 * What a reduction receives goes through scratch memory and is added from there.
 */
#ifndef TT_EXECUTE_H
#define TT_EXECUTE_H

#include "host/call.h"
#include "schedule/program.h"
#include "transport/transport.h"

/* A program's operands. */
struct tt_operands {
	void *buffer;      /* in which the layout's offsets lie, those below `divide` */
	void *second;      /* and the others, that many bytes further on */
	uint64_t divide;   /* UINT64_MAX: there is no second */
	totum_dtype dtype; /* of reduce steps */
	totum_op op;
};

/*
 * What goes before the bytes that one rank sends another in a call, when the calls have not been
 * compared by other means: which call it is, and how many bytes follow.
 */
struct tt_greeting {
	struct tt_fingerprint call;
	uint64_t number, bytes;
};

/* One program with the memory that it runs in; it can run again and again. */
struct tt_executor {
	struct tt_host *host;
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint; /* the communicator's */
	struct tt_program *program;
	struct tt_run *run;
	struct tt_operands operands;
	const struct tt_greeting *greeting; /* of this rank, bytes left open; NULL: none are sent */
	/*
	 * Who greets whom, also where no bytes follow: when a length is known to two ranks only, a
	 * message that one of them left out would be waited for by the other one, who has no call
	 * to compare with.
	 */
	enum { TT_GREETS_WITH_BYTES, TT_GREETS_ROOT, TT_ROOT_GREETS, TT_GREETS_ALL } greets;
	int root;
	/* Called for a greeting that is not ours, before a byte of its call is taken: the failure. */
	totum_status (*differs)(struct tt_executor *executor, int peer,
				const struct tt_greeting *theirs, uint64_t expected);
	void *context;       /* for differs */
	uint64_t moves;      /* how often something has moved */
	uint64_t idle_since; /* when nothing moved any more, 0: something has just moved */
};

/* Takes over program, also on failure. */
totum_status tt_executor_open(struct tt_executor *executor, struct tt_program *program);
void tt_executor_close(struct tt_executor *executor);
/* Of a run that has begun, and may have failed: has a step, which receives, got all its bytes? */
bool tt_executor_received(const struct tt_executor *executor, int64_t step);
/* Private memory that it holds, about. */
uint64_t tt_executor_bytes(const struct tt_executor *executor);
/* host, transport, endpoint and operands have been set. */
totum_status tt_executor_begin(struct tt_executor *executor);
/*
 * Goes on until the program is done or, unless block, until nothing moves: then it does not sleep,
 * and looks for failures only now and then.
 */
totum_status tt_executor_go(struct tt_executor *executor, bool block, bool *done);

#endif
