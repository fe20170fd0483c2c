/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * identity - the launchers' variables.
 *
 * Every launcher says rank and size in variables of its own; what differs is how a job gets a name
 * that all its ranks know and no other job uses.  A family counts as present when its rank variable
 * is set, and is then believed whole: a missing or contradictory companion is an error, never a
 * reason to look further.
 */
#include "launch/identity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

struct family {
	const char *name, *rank, *nranks;
	totum_status (*root)(struct tt_identity *out);
};

static totum_status need(const char *variable, const char *family, const char **value)
{
	*value = getenv(variable);
	if (*value && **value)
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s is not set though the variables of %s are; start the "
		       "ranks with that launcher, or set TOTUM_LAUNCHER to the one that is meant",
		       variable, family);
}

static totum_status read_secret(struct tt_identity *out)
{
	const char *text = getenv("TOTUM_SECRET_FD");
	int64_t fd;

	if (!text)
		return TOTUM_OK;
	if (tt_parse_int(text, 0, 1 << 20, &fd))
		return tt_fail_in(TOTUM_EINVAL, "TOTUM_SECRET_FD");
	/* by position: all ranks, also one that initialises twice, read one file from its start */
	size_t length = 0;
	ssize_t got;
	do {
		got = pread((int)fd, out->secret + length, sizeof out->secret - length,
			    (off_t)length);
		length += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && length < sizeof out->secret) || (got < 0 && errno == EINTR));
	if (got < 0)
		return tt_fail(TOTUM_EINVAL, "TOTUM_SECRET_FD=%s cannot be read: %s; start the "
			       "rank directly under `totum run`", text, strerror(errno));
	if (length == sizeof out->secret)
		return tt_fail(TOTUM_EINVAL,
			       "the secret behind TOTUM_SECRET_FD=%s is longer than %d bytes", text,
			       TT_SECRET - 1);
	out->secret[length] = 0;
	return TOTUM_OK;
}

static totum_status root_totum(struct tt_identity *out)
{
	const char *root;
	totum_status status = need("TOTUM_ROOT", "totum run", &root);

	if (status)
		return status;
	if (strlen(root) >= sizeof out->root)
		return tt_fail(TOTUM_EINVAL, "TOTUM_ROOT is longer than %d characters",
			       TT_ROOT - 1);
	strcpy(out->root, root);
	return read_secret(out);
}

static totum_status root_openmpi(struct tt_identity *out)
{
	const char *space, *uri = getenv("PMIX_SERVER_URI2");
	totum_status status = need("PMIX_NAMESPACE", "Open MPI", &space);

	if (!status)
		snprintf(out->root, sizeof out->root, "local:openmpi %.100s %.100s", space,
			 uri ? uri : "");
	return status;
}

static totum_status root_pmi(struct tt_identity *out)
{
	const char *text;
	int64_t fd;
	char name[TT_ROOT];
	totum_status status = need("PMI_FD", "PMI (MPICH, Intel MPI)", &text);

	if (status)
		return status;
	if (tt_parse_int(text, 0, 1 << 20, &fd))
		return tt_fail_in(TOTUM_EINVAL, "PMI_FD");
	status = tt_pmi_job_name((int)fd, name);
	if (!status)
		snprintf(out->root, sizeof out->root, "local:pmi %.200s", name);
	return status;
}

static totum_status root_slurm(struct tt_identity *out)
{
	const char *job, *step;
	totum_status status = need("SLURM_JOB_ID", "Slurm", &job);

	if (!status)
		status = need("SLURM_STEP_ID", "Slurm", &step);
	if (!status)
		snprintf(out->root, sizeof out->root, "local:slurm %.100s.%.100s", job, step);
	return status;
}

static totum_status root_torchrun(struct tt_identity *out)
{
	const char *address, *port;
	const char *run = getenv("TORCHELASTIC_RUN_ID");
	const char *again = getenv("TORCHELASTIC_RESTART_COUNT");
	totum_status status = need("MASTER_ADDR", "torchrun", &address);

	if (!status)
		status = need("MASTER_PORT", "torchrun", &port);
	if (!status)
		snprintf(out->root, sizeof out->root, "local:torchrun %.80s:%.10s %.80s %.10s",
			 address, port, run ? run : "", again ? again : "");
	return status;
}

static const struct family families[] = {
	{"totum", "TOTUM_RANK", "TOTUM_SIZE", root_totum},
	{"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", root_openmpi},
	{"pmi", "PMI_RANK", "PMI_SIZE", root_pmi},
	{"slurm", "SLURM_PROCID", "SLURM_NTASKS", root_slurm},
	{"torchrun", "RANK", "WORLD_SIZE", root_torchrun},
};

const char *tt_identity_family(int index, const char **rank_variable)
{
	if (index < 0 || index >= (int)(sizeof families / sizeof *families))
		return NULL;
	*rank_variable = families[index].rank;
	return families[index].name;
}

static totum_status believe(const struct family *family, struct tt_identity *out)
{
	const char *rank_text, *nranks_text;
	int64_t rank, nranks;

	out->family = family->name;
	totum_status status = need(family->rank, family->name, &rank_text);
	if (!status)
		status = need(family->nranks, family->name, &nranks_text);
	if (status)
		return status;
	if (tt_parse_int(nranks_text, 1, TT_RANKS, &nranks))
		return tt_fail_in(TOTUM_EINVAL, "%s", family->nranks);
	if (tt_parse_int(rank_text, 0, TT_RANKS, &rank))
		return tt_fail_in(TOTUM_EINVAL, "%s", family->rank);
	if (rank >= nranks)
		return tt_fail(TOTUM_EINVAL, "%s=%s is not below %s=%s; ranks count from 0",
			       family->rank, rank_text, family->nranks, nranks_text);
	out->rank = (int)rank;
	out->nranks = (int)nranks;
	return family->root(out);
}

totum_status tt_identity_find(const struct tt_settings *settings, struct tt_identity *out)
{
	*out = (struct tt_identity){.family = "none", .nranks = 1};
	if (!strcmp(settings->launcher, "none"))
		return TOTUM_OK;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		bool forced = !strcmp(settings->launcher, families[i].name);
		bool present = !settings->launcher[0] &&
			       (getenv(families[i].rank) || (i == 0 && getenv("TOTUM_SIZE")));
		if (forced || present)
			return believe(&families[i], out);
	}
	return TOTUM_OK;
}
