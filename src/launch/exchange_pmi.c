/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_pmi - ranks on several hosts under MPICH's or Intel's mpiexec, "pmi://": rank 0 tells
 * the others an id through the process manager.
 *
 * The farewell is said when the process exits, for after it nothing can be asked any more: by a
 * second totum_init, or by an MPI library in the same process, which may come before or after.  The
 * conversation has a descriptor of its own, because that library closes PMI_FD when it ends.
 */
#include <fcntl.h>
#include <pthread.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "launch/exchange_parts.h"
#include "launch/pmi_client.h"
#include "launch/terms.h"

static const uint64_t farewell_ns = 2000000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* of this process; under lock */
static struct {
	int fd;      /* -1: nothing has been said */
	pid_t owner; /* a forked child has the socket too, and keeps silent */
	int jobs;    /* that have met so far; keys cannot be put again */
} talk = {.fd = -1};

__attribute__((destructor)) static void say_farewell(void)
{
	struct tt_pmi pmi = {.fd = talk.fd, .deadline = tt_clock_ns() + farewell_ns};

	/* where an MPI library has said it already, the manager has hung up, and nobody minds */
	if (talk.fd >= 0 && talk.owner == getpid())
		tt_pmi_end(&pmi);
}

static totum_status open_talk(void)
{
	const char *text = getenv("PMI_FD");
	int64_t fd;

	if (talk.fd >= 0 && talk.owner == getpid())
		return TOTUM_OK;
	if (!text || tt_parse_int(text, 0, 1 << 20, &fd))
		return tt_fail_in(TOTUM_EINVAL, "PMI_FD");
	talk.fd = fcntl((int)fd, F_DUPFD_CLOEXEC, 3);
	if (talk.fd < 0)
		return tt_fail(TOTUM_EINVAL,
			       "PMI_FD=%s cannot be used: %s; start the ranks directly "
			       "under mpiexec, and call totum_init before MPI_Finalize",
			       text, strerror(errno));
	talk.owner = getpid();
	return TOTUM_OK;
}

static totum_status spread(void *context, const char id[static TT_ID])
{
	struct tt_pmi *pmi = context;
	char key[32];

	snprintf(key, sizeof key, "totum-id-%d", talk.jobs++);
	totum_status status = tt_pmi_put(pmi, key, id);
	return status ? status : tt_pmi_barrier(pmi);
}

static totum_status learn(struct tt_pmi *pmi, struct tt_identity *identity)
{
	char key[32], id[TT_ID];

	snprintf(key, sizeof key, "totum-id-%d", talk.jobs++);
	totum_status status = tt_pmi_barrier(pmi);
	if (!status)
		status = tt_pmi_get(pmi, key, id, sizeof id);
	return status ? status : tt_unique_id_read(id, identity->root, identity->secret);
}

static totum_status meet(struct tt_pmi *pmi, struct tt_identity *identity,
			 const struct tt_settings *settings, struct tt_exchange **out)
{
	struct tt_news news = {.tell = spread, .context = pmi, .where = "mpiexec"};
	totum_status status = open_talk();

	pmi->fd = talk.fd;
	if (!status)
		status = tt_pmi_begin(pmi);
	if (!status && identity->rank == 0)
		return tt_exchange_told(identity, settings, &news, out);
	if (!status)
		status = learn(pmi, identity);
	return status ? status : tt_exchange_of_id(identity, settings, NULL, out);
}

totum_status tt_exchange_pmi(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out)
{
	struct tt_pmi *pmi = calloc(1, sizeof *pmi);

	if (!pmi)
		return tt_fail_memory(sizeof *pmi, "the conversation with mpiexec");
	pmi->deadline = tt_clock_ns() + tt_terms_patience(settings);
	pthread_mutex_lock(&lock);
	totum_status status = meet(pmi, identity, settings, out);
	pthread_mutex_unlock(&lock);
	free(pmi);
	return status;
}
