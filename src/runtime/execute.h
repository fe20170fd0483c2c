/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execute.h - runs any program over any transport.
 *
 * A step starts when the steps it waits for are done and the earlier steps on its link have been started; receives are
 * posted before anything is waited for, so that no schedule can deadlock.  What a reduction receives goes
 * through scratch memory and is added from there.
 */
#ifndef TT_EXECUTE_H
#define TT_EXECUTE_H

#include "schedule/program.h"
#include "transport/transport.h"

/* A communicator's executor: its endpoint and the last program, kept because calls repeat. All zero is valid. */
struct tt_executor {
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint;
	struct tt_program *program;
	struct tt_run *run;     /* the program's working memory */
	uint64_t key[2];        /* what program was made for */
};

/* A program's operands. */
struct tt_operands {
	void *buffer;      /* in which the layout's offsets lie */
	totum_dtype dtype; /* of reduce steps */
	totum_op op;
};

/* Takes over program, also on failure. */
totum_status tt_executor_keep(struct tt_executor *executor, struct tt_program *program, const uint64_t key[2]);
totum_status tt_executor_run(struct tt_executor *executor, const struct tt_operands *operands);
void tt_executor_forget(struct tt_executor *executor);
void tt_executor_close(struct tt_executor *executor);

#endif
