/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hazards.h - which steps of a program must wait for which, from what each reads and writes.
 *
 * The caller names, step by step in program order, the units (a cell of a block) that the step
 * touches.  A read waits for the last write of the unit; a write waits for the reads since the last
 * write, or, when there are none, for that write.
 */
#ifndef TT_HAZARDS_H
#define TT_HAZARDS_H

#include "schedule/program.h"

struct tt_hazards;

totum_status tt_hazards_new(int64_t nunits, struct tt_hazards **out);
void tt_hazards_free(struct tt_hazards *hazards); /* NULL is legal */
totum_status tt_hazards_read(struct tt_hazards *hazards, int64_t unit, int32_t step);
totum_status tt_hazards_write(struct tt_hazards *hazards, int64_t unit, int32_t step);
/* Fills nwaits, first_waiter, nwaiters of all steps and program->waiters: each pair of steps once.
 */
totum_status tt_hazards_finish(struct tt_hazards *hazards, struct tt_program *program);

#endif
