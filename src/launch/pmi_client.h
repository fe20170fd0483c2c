/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmi_client.h - the conversation with a PMI-1 process manager, MPICH's or Intel's mpiexec: lines
 * of text over the socket PMI_FD.
 */
#ifndef TT_PMI_CLIENT_H
#define TT_PMI_CLIENT_H

#include "launch/identity.h"

enum { TT_PMI_LINE = 4096 };

struct tt_pmi {
	int fd;                 /* the caller's */
	uint64_t deadline;      /* of all answers */
	char space[256];        /* name of the job's key-value space */
	size_t longest_value;   /* characters */
	char line[TT_PMI_LINE]; /* the last answer */
	size_t held;            /* bytes read beyond it */
	char ahead[TT_PMI_LINE];
};

/* pmi->fd and deadline are set.  Greets and asks for the space's name and limits. */
totum_status tt_pmi_begin(struct tt_pmi *pmi);
/*
 * Puts a value of printable characters without spaces, in as many pieces as the manager's limit
 * asks for.  Other ranks can get it when all have passed the next barrier.
 */
totum_status tt_pmi_put(struct tt_pmi *pmi, const char *key, const char *value);
totum_status tt_pmi_get(struct tt_pmi *pmi, const char *key, char *value, size_t size);
/* Collective over the job's ranks. */
totum_status tt_pmi_barrier(struct tt_pmi *pmi);
/* The farewell, without which an end counts as a crash.  Waits for its answer. */
totum_status tt_pmi_end(struct tt_pmi *pmi);

/* Pure.  The value of a field of a line "cmd=x rc=0 ..", false: there is none, or it is too long.
 */
bool tt_pmi_field(const char *line, const char *field, char *out, size_t size);

#endif
