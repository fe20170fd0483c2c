/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * identity - the launchers' variables.
 *
 * Every launcher says rank and size in variables of its own; what differs is how a job gets a name
 * that all its ranks know and no other job uses.  Ranks of one host meet under a name "local:..",
 * whatever else is there; only ranks on several hosts get a root that reaches out, through the
 * launcher's own service where it has one, else by TCP with a secret.
 *
 * A family counts as present when its rank variable is set, and is then believed whole: a missing
 * or contradictory companion is an error, never a reason to look further.
 */
#include "launch/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/units.h"
#include "launch/exchange.h"
#include "launch/nodelist.h"
#include "launch/secret.h"

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

/*
 * Are ranks on several hosts, when the launcher's variable says how many are on this one?  Where it
 * says nothing they are not.
 */
static totum_status is_spread(const char *variable, const struct tt_identity *out, bool *spread)
{
	const char *text = getenv(variable);
	int64_t here;

	*spread = false;
	if (!text)
		return TOTUM_OK;
	if (tt_parse_int(text, 1, out->nranks, &here))
		return tt_fail_in(TOTUM_EINVAL, "%s, of %d ranks", variable, out->nranks);
	*spread = here < out->nranks;
	return TOTUM_OK;
}

/* A root that reaches other hosts, made from what `variables` say; its ranks need a secret. */
static totum_status reach(struct tt_identity *out, const char *host, int64_t port,
			  const char *variables, const char *name)
{
	bool bare_v6 = strchr(host, ':') && host[0] != '[';

	snprintf(out->root, sizeof out->root, "tcp://%s%.120s%s:%d#%.100s", bare_v6 ? "[" : "",
		 host, bare_v6 ? "]" : "", (int)port, name);
	totum_status status = tt_exchange_check_root(out->root);
	if (status)
		return tt_fail_in(status, "the ranks are on several hosts, and %s do not say where "
				  "to meet: set TOTUM_ROOT", variables);
	return tt_secret_read(out->secret);
}

static totum_status root_given(struct tt_identity *out, const char *root)
{
	if (strlen(root) >= sizeof out->root)
		return tt_fail(TOTUM_EINVAL, "TOTUM_ROOT is longer than %d characters",
			       TT_ROOT - 1);
	strcpy(out->root, root);
	totum_status status = tt_exchange_check_root(root);
	return status ? tt_fail_in(status, "TOTUM_ROOT") : tt_secret_read(out->secret);
}

static totum_status root_totum(struct tt_identity *out)
{
	const char *root;
	totum_status status = need("TOTUM_ROOT", "totum run", &root);

	return status ? status : root_given(out, root);
}

static totum_status root_openmpi(struct tt_identity *out)
{
	const char *space, *uri = getenv("PMIX_SERVER_URI2");
	bool spread;
	totum_status status = need("PMIX_NAMESPACE", "Open MPI", &space);

	if (!status)
		status = is_spread("OMPI_COMM_WORLD_LOCAL_SIZE", out, &spread);
	if (status)
		return status;
	if (spread)
		snprintf(out->root, sizeof out->root, "pmix://%.200s", space);
	else
		snprintf(out->root, sizeof out->root, "local:openmpi %.100s %.100s", space,
			 uri ? uri : "");
	return TOTUM_OK;
}

/* How many hosts the step of Slurm has; 1 where it does not say. */
static totum_status count_nodes(int64_t *nodes)
{
	static const char *const variables[] = {"SLURM_STEP_NUM_NODES", "SLURM_NNODES"};

	*nodes = 1;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *text = getenv(variables[i]);
		if (text && tt_parse_int(text, 1, TT_RANKS, nodes))
			return tt_fail_in(TOTUM_EINVAL, "%s", variables[i]);
		if (text)
			return TOTUM_OK;
	}
	return TOTUM_OK;
}

static totum_status root_pmi(struct tt_identity *out)
{
	const char *text;
	int64_t fd, nodes = 1;
	char name[TT_ROOT];
	bool spread;
	totum_status status = need("PMI_FD", "PMI (MPICH, Intel MPI)", &text);

	if (status)
		return status;
	if (tt_parse_int(text, 0, 1 << 20, &fd))
		return tt_fail_in(TOTUM_EINVAL, "PMI_FD");
	status = is_spread("MPI_LOCALNRANKS", out, &spread);
	if (!status && !getenv("MPI_LOCALNRANKS")) /* srun --mpi=pmi2 */
		status = count_nodes(&nodes);
	if (status)
		return status;
	if (spread || (nodes > 1 && out->nranks > 1)) {
		snprintf(out->root, sizeof out->root, "pmi://%d", (int)fd);
		return TOTUM_OK;
	}
	status = tt_pmi_job_name((int)fd, name);
	if (!status)
		snprintf(out->root, sizeof out->root, "local:pmi %.200s", name);
	return status;
}

/* Nobody else's port: below those that systems choose for connections, and different by step. */
static int64_t step_port(const char *job, const char *step)
{
	char both[256];

	snprintf(both, sizeof both, "%.100s.%.100s", job, step);
	return 20000 + (int64_t)(XXH3_64bits(both, strlen(both)) % 10000);
}

static totum_status root_slurm_hosts(struct tt_identity *out, const char *job, const char *step)
{
	const char *list, *space = getenv("PMIX_NAMESPACE");
	char first[128], name[TT_ROOT];

	if (space && getenv("PMIX_RANK")) {
		snprintf(out->root, sizeof out->root, "pmix://%.200s", space);
		return TOTUM_OK;
	}
	totum_status status = need("SLURM_STEP_NODELIST", "Slurm", &list);
	if (status)
		return status;
	if (!tt_nodelist_first(list, first, sizeof first))
		return tt_fail(TOTUM_EINVAL, "SLURM_STEP_NODELIST=\"%.100s\" is no list of hosts; "
			       "set TOTUM_ROOT=tcp://HOST:PORT, with the host of rank 0", list);
	snprintf(name, sizeof name, "slurm %.40s.%.40s", job, step);
	return reach(out, first, step_port(job, step), "Slurm's variables", name);
}

static totum_status root_slurm(struct tt_identity *out)
{
	const char *job, *step;
	int64_t nodes;
	totum_status status = need("SLURM_JOB_ID", "Slurm", &job);

	if (!status)
		status = need("SLURM_STEP_ID", "Slurm", &step);
	if (!status)
		status = count_nodes(&nodes);
	if (status)
		return status;
	if (nodes > 1 && out->nranks > 1)
		return root_slurm_hosts(out, job, step);
	snprintf(out->root, sizeof out->root, "local:slurm %.100s.%.100s", job, step);
	return TOTUM_OK;
}

/* torch's store listens at MASTER_PORT; the ranks of totum meet a thousand above, or below. */
static totum_status root_torchrun_hosts(struct tt_identity *out, const char *address,
					const char *port, const char *name)
{
	int64_t number;

	if (tt_parse_int(port, 1, 65535, &number))
		return tt_fail_in(TOTUM_EINVAL, "MASTER_PORT");
	return reach(out, address, number <= 64535 ? number + 1000 : number - 1000,
		     "MASTER_ADDR and MASTER_PORT", name);
}

static totum_status root_torchrun(struct tt_identity *out)
{
	const char *address, *port;
	const char *run = getenv("TORCHELASTIC_RUN_ID");
	const char *again = getenv("TORCHELASTIC_RESTART_COUNT");
	char name[TT_ROOT];
	bool spread;
	totum_status status = need("MASTER_ADDR", "torchrun", &address);

	if (!status)
		status = need("MASTER_PORT", "torchrun", &port);
	if (!status)
		status = is_spread("LOCAL_WORLD_SIZE", out, &spread);
	if (status)
		return status;
	snprintf(name, sizeof name, "torchrun %.60s %.10s", run ? run : "", again ? again : "");
	if (spread)
		return root_torchrun_hosts(out, address, port, name);
	snprintf(out->root, sizeof out->root, "local:torchrun %.80s:%.10s %.80s %.10s", address,
		 port, run ? run : "", again ? again : "");
	return TOTUM_OK;
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
	/* where ranks meet can be given by hand, but not to what is started inside another job */
	const char *given = getenv("TOTUM_ROOT");
	return given && *given && !getenv("TOTUM_RANK") ? root_given(out, given)
							: family->root(out);
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
