/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor_checks.h - what the doctor looks at, in this order; each file of them has one group of
 * lines. */
#ifndef DOCTOR_CHECKS_H
#define DOCTOR_CHECKS_H

#include "doctor_report.h"

void doctor_kernel(struct doctor *doctor);    /* versions, and calls that the library relies on */
void doctor_memory(struct doctor *doctor);    /* shared memory, huge pages, NUMA */
void doctor_copy(struct doctor *doctor);      /* may ranks read each other's memory? */
void doctor_share(struct doctor *doctor);     /* may they map each other's allocations? */
void doctor_cores(struct doctor *doctor);     /* cores against ranks */
void doctor_limits(struct doctor *doctor);    /* of this process and its group */
void doctor_variables(struct doctor *doctor); /* TOTUM_ variables, and launchers */
void doctor_trial(struct doctor *doctor);     /* a small job, for real */

/* cli/doctor_group.c: calls `look` with the path of `name` in this process's control group and in
 * each one above it. */
void doctor_groups(const char *controller, const char *name,
		   void (*look)(const char *path, void *context), void *context);
/* How many cores this process and its children may use, whole ones: affinity and quota; at least 1.
 */
int doctor_usable_cores(void);

#endif
