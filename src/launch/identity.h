/* SPDX-License-Identifier: BSD-3-Clause */
/* identity.h - who am I: which rank of how many, and the name under which the job's ranks meet. */
#ifndef TT_IDENTITY_H
#define TT_IDENTITY_H

#include "base/settings.h"

enum { TT_ROOT = 256, TT_SECRET = 257, TT_RANKS = 65536 };

struct tt_exchange;

struct tt_identity {
	const char *family; /* "totum", "openmpi", .. "none": whose variables were believed */
	int rank, nranks;
	char root[TT_ROOT];     /* shared by the job's ranks and by no other job of this user */
	char secret[TT_SECRET]; /* "" when the launcher gives none */
	/* open already, NULL: not; tt_exchange_open hands it over (exchange.h) */
	struct tt_exchange *exchange;
};

/*
 * Looks at the launchers' variables in the order totum, openmpi, pmi, slurm, torchrun (or only at
 * settings->launcher); one rank alone when there are none.  A family whose variables contradict
 * each other or are incomplete is TOTUM_EINVAL with a sentence naming the variable.
 */
totum_status tt_identity_find(const struct tt_settings *settings, struct tt_identity *out);

/* In that order: NULL behind the last family, else its name and the variable that must be set. */
const char *tt_identity_family(int index, const char **rank_variable);

/* The job's name from the process manager behind PMI_FD, at most TT_ROOT bytes. */
totum_status tt_pmi_job_name(int fd, char out[static TT_ROOT]);

#endif
