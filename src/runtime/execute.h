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

#include "schedule/program.h"
#include "transport/transport.h"

/* A program's operands. */
struct tt_operands {
	void *buffer;      /* in which the layout's offsets lie */
	totum_dtype dtype; /* of reduce steps */
	totum_op op;
};

/* One program with the memory that it runs in; it can run again and again. */
struct tt_executor {
	struct tt_host *host;
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint; /* the communicator's */
	struct tt_program *program;
	struct tt_run *run;
	struct tt_operands operands;
	uint64_t moves;      /* how often something has moved */
	uint64_t idle_since; /* when nothing moved any more, 0: something has just moved */
};

/* Takes over program, also on failure. */
totum_status tt_executor_open(struct tt_executor *executor, struct tt_program *program);
void tt_executor_close(struct tt_executor *executor);
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
