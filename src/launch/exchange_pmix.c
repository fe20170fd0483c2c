/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_pmix - ranks on several hosts under Open MPI's mpirun or `srun --mpi=pmix`, "pmix://":
 * rank 0 tells the others an id through the server of PMIx.
 *
 * The library is loaded when it is needed; where the program has loaded it already, as Open MPI
 * does, it is the same one, which counts how often it was begun and ended.  It is ended when the
 * process exits: once ended altogether it does not begin anew, and MPI_Init may be still to come.
 */
#include <string.h>

#include "launch/exchange_parts.h"

#ifdef TOTUM_PMIX

#include <dlfcn.h>
#include <errno.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "launch/terms.h"

struct pmix {
	void *library;
	__typeof__(&PMIx_Init) init;
	__typeof__(&PMIx_Finalize) finalize;
	__typeof__(&PMIx_Put) put;
	__typeof__(&PMIx_Commit) commit;
	__typeof__(&PMIx_Fence_nb) fence;
	__typeof__(&PMIx_Get) get;
	__typeof__(&PMIx_Error_string) text;
	pmix_proc_t me;
	char key[32];
	double patience; /* seconds */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* of this process; under lock */
static struct {
	struct pmix pmix;
	pid_t owner; /* 0: not begun; a forked child does not end what is its parent's */
	int jobs;    /* that have met so far: a key is put once */
} begun;

static void end(void)
{
	if (begun.owner == getpid())
		begun.pmix.finalize(NULL, 0);
}

static totum_status cannot(const struct pmix *pmix, const char *what, pmix_status_t code)
{
	return tt_fail(TOTUM_ESYSTEM,
		       "PMIx cannot %s: %s; start the ranks directly under mpirun or "
		       "`srun --mpi=pmix`",
		       what, pmix->text(code));
}

static totum_status load(struct pmix *pmix)
{
	pmix->library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!pmix->library)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"the ranks are on several hosts, and PMIx, by "
			"which they would find each other, cannot be loaded: %.150s; install "
			"it (libpmix2), or give TOTUM_ROOT and TOTUM_SECRET_FILE",
			dlerror());
	*(void **)&pmix->init = dlsym(pmix->library, "PMIx_Init");
	*(void **)&pmix->finalize = dlsym(pmix->library, "PMIx_Finalize");
	*(void **)&pmix->put = dlsym(pmix->library, "PMIx_Put");
	*(void **)&pmix->commit = dlsym(pmix->library, "PMIx_Commit");
	*(void **)&pmix->fence = dlsym(pmix->library, "PMIx_Fence_nb");
	*(void **)&pmix->get = dlsym(pmix->library, "PMIx_Get");
	*(void **)&pmix->text = dlsym(pmix->library, "PMIx_Error_string");
	if (!pmix->init || !pmix->finalize || !pmix->put || !pmix->commit || !pmix->fence ||
	    !pmix->get || !pmix->text)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "libpmix.so.2 is not a library of PMIx: it lacks "
			       "functions; install libpmix2 anew");
	return TOTUM_OK;
}

/* --- a fence with a deadline, which the servers do not all keep ------------------------------- */

struct fence {
	pthread_mutex_t lock;
	pthread_cond_t passed;
	bool over;
	pmix_status_t code;
};

static void pass(pmix_status_t code, void *context)
{
	struct fence *fence = context;

	pthread_mutex_lock(&fence->lock);
	fence->over = true;
	fence->code = code;
	pthread_cond_signal(&fence->passed);
	pthread_mutex_unlock(&fence->lock);
}

static bool wait_at(struct fence *fence, double seconds)
{
	struct timespec end;
	int error = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += (time_t)seconds + 1;
	pthread_mutex_lock(&fence->lock);
	while (!fence->over && !error)
		error = pthread_cond_timedwait(&fence->passed, &fence->lock, &end);
	bool over = fence->over;
	pthread_mutex_unlock(&fence->lock);
	return over;
}

static totum_status cross_fence(const struct pmix *pmix)
{
	struct fence *fence = calloc(1, sizeof *fence);
	pmix_info_t collect;

	if (!fence)
		return tt_fail_memory(sizeof *fence, "a fence of PMIx");
	pthread_mutex_init(&fence->lock, NULL);
	pthread_cond_init(&fence->passed, NULL);
	memset(&collect, 0, sizeof collect);
	strcpy(collect.key, PMIX_COLLECT_DATA);
	collect.value.type = PMIX_BOOL;
	collect.value.data.flag = true;
	pmix_status_t code = pmix->fence(NULL, 0, &collect, 1, pass, fence);
	/* a fence that may still be passed keeps its memory */
	if (code == PMIX_SUCCESS && !wait_at(fence, pmix->patience))
		return tt_fail(TOTUM_ETIMEOUT,
			       "not all ranks have come to the fence of PMIx; start "
			       "all ranks, and let all call totum_init");
	if (code == PMIX_SUCCESS)
		code = fence->code;
	pthread_cond_destroy(&fence->passed);
	pthread_mutex_destroy(&fence->lock);
	free(fence);
	return code == PMIX_SUCCESS || code == PMIX_OPERATION_SUCCEEDED
		       ? TOTUM_OK
		       : cannot(pmix, "let the ranks wait for each other", code);
}

/* --------------------------------------------------------------------------------------------- */

static totum_status tell(void *context, const char id[static TT_ID])
{
	struct pmix *pmix = context;
	pmix_value_t value = {.type = PMIX_STRING, .data.string = (char *)id};
	pmix_status_t code = pmix->put(PMIX_GLOBAL, pmix->key, &value);

	if (code == PMIX_SUCCESS)
		code = pmix->commit();
	return code == PMIX_SUCCESS ? cross_fence(pmix) : cannot(pmix, "take an id", code);
}

static totum_status learn(struct pmix *pmix, struct tt_identity *identity)
{
	char id[TT_ID] = "";
	pmix_value_t *value = NULL;
	pmix_proc_t first = pmix->me;
	totum_status status = cross_fence(pmix);

	if (status)
		return status;
	first.rank = 0;
	pmix_status_t code = pmix->get(&first, pmix->key, NULL, 0, &value);
	if (code != PMIX_SUCCESS)
		return cannot(pmix, "give the id of rank 0", code);
	if (value->type == PMIX_STRING) {
		snprintf(id, sizeof id, "%s", value->data.string);
		free(value->data.string);
	}
	free(value);
	return tt_unique_id_read(id, identity->root, identity->secret);
}

static totum_status meet(struct pmix *pmix, struct tt_identity *identity,
			 const struct tt_settings *settings, struct tt_exchange **out)
{
	struct tt_news news = {.tell = tell, .context = pmix, .where = "PMIx"};

	if (identity->rank == 0)
		return tt_exchange_told(identity, settings, &news, out);
	totum_status status = learn(pmix, identity);
	return status ? status : tt_exchange_of_id(identity, settings, NULL, out);
}

/* Once a process; a copy for this job. */
static totum_status begin(struct pmix *out)
{
	if (begun.owner != getpid()) {
		totum_status status = load(&begun.pmix);
		pmix_status_t code =
			status ? PMIX_SUCCESS : begun.pmix.init(&begun.pmix.me, NULL, 0);
		if (code != PMIX_SUCCESS)
			return cannot(&begun.pmix, "begin", code);
		if (status)
			return status;
		begun.owner = getpid();
		atexit(end);
	}
	*out = begun.pmix;
	snprintf(out->key, sizeof out->key, "totum.id.%d", begun.jobs++);
	return TOTUM_OK;
}

totum_status tt_exchange_pmix(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	struct pmix pmix = {0};

	pthread_mutex_lock(&lock);
	totum_status status = begin(&pmix);
	pthread_mutex_unlock(&lock);
	pmix.patience = (double)tt_terms_patience(settings) * 1e-9;
	return status ? status : meet(&pmix, identity, settings, out);
}

#else

totum_status tt_exchange_pmix(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out)
{
	(void)identity;
	(void)settings;
	(void)out;
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "the ranks are on several hosts, and this totum was built "
		       "without PMIx, by which they would find each other; build it with "
		       "libpmix-dev, or give TOTUM_ROOT and TOTUM_SECRET_FILE");
}

#endif
