/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meeting.h - the barrier that brings the ranks to the same moment before a clock starts, the same
 * for all libraries.
 *
 * It lives in the first page of a file that bench/compare names by COMPARE_MEETING, one file a job.
 */
#ifndef MEETING_H
#define MEETING_H

#include <stdbool.h>

/* false when the file cannot be mapped. */
bool meeting_open(const char *path, int nranks);
/* Returns when all ranks have called it. */
void meeting(void);

#endif
