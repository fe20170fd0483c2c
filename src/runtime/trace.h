/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - a rank's calls and messages as a Chrome trace, for Perfetto or chrome://tracing.
 *
 * One file a rank, PREFIX.RANK.json, in the array form: a process a rank of the job, a thread a
 * communicator, its calls as slices, its messages as asynchronous slices since they overlap.  The
 * clock is that of the host, so files of one host fit each other.  Every event is in the file
 * before the next one begins; the closing bracket comes when the rank leaves the job, and may be
 * missing in this form: a rank that is killed leaves a file that can be read.
 */
#ifndef TT_TRACE_H
#define TT_TRACE_H

#include <stdio.h>

#include "runtime/work.h"

struct tt_letter;

/* The file of comm's rank, which all its communicators share, NULL when there is none. */
FILE *tt_trace_open(totum_comm *comm);
/* The rank has left; NULL is legal. */
void tt_trace_close(FILE *trace);
/* The work that comm's recorder began last is over. */
void tt_trace_work(totum_comm *comm, const struct tt_work *work, totum_status status);
void tt_trace_posted(totum_comm *comm, const struct tt_letter *letter);
void tt_trace_delivered(totum_comm *comm, const struct tt_letter *letter);

#endif
