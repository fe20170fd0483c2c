/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress - one thread a communicator, only when asked for.
 *
 * It holds the communicator's lock while it goes on with the works and the mail, and never while it
 * waits: then it yields for a moment and after that sleeps in short naps, so that a rank that comes
 * into the library finds it out of the way.  With nothing to do it sleeps until the rank leaves the
 * library with something.
 */
#include "runtime/progress.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "runtime/work.h"

enum { AWAKE_NS = 200000, NAP_NS = 100000 };

struct tt_progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work; /* there may be something to do, or stop is set */
	bool stop;
	totum_comm *comm;
};

static void *run(void *argument)
{
	struct tt_progress *progress = argument;
	totum_comm *comm = progress->comm;
	uint64_t since = 0;

	pthread_mutex_lock(&progress->lock);
	while (!progress->stop) {
		if (!tt_work_moves(comm)) {
			since = 0;
			pthread_cond_wait(&progress->work, &progress->lock);
			continue;
		}
		tt_work_go_all(comm); /* a failure is the communicator's: every wait will say so */
		bool idle = tt_work_moves(comm);
		pthread_mutex_unlock(&progress->lock);
		uint64_t now = tt_clock_ns();
		since = since ? since : now;
		if (idle && now - since < AWAKE_NS)
			sched_yield();
		else if (idle)
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
		pthread_mutex_lock(&progress->lock);
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

totum_status tt_progress_start(totum_comm *comm)
{
	struct tt_progress *progress = calloc(1, sizeof *progress);

	if (!progress)
		return tt_fail_memory(sizeof *progress, "the progress thread");
	progress->comm = comm;
	pthread_mutex_init(&progress->lock, NULL);
	pthread_cond_init(&progress->work, NULL);
	pthread_mutex_lock(&progress->lock);
	int error = pthread_create(&progress->thread, NULL, run, progress);
	if (error) {
		pthread_mutex_unlock(&progress->lock);
		pthread_cond_destroy(&progress->work);
		pthread_mutex_destroy(&progress->lock);
		free(progress);
		return tt_fail(TOTUM_ESYSTEM, "cannot start the progress thread: %s%s",
			       strerror(error), tt_advice(error));
	}
	comm->progress = progress; /* locked: exit gives the lock back */
	return TOTUM_OK;
}

void tt_progress_stop(totum_comm *comm)
{
	struct tt_progress *progress = comm->progress;

	comm->progress = NULL;
	progress->stop = true;
	pthread_cond_signal(&progress->work);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	pthread_cond_destroy(&progress->work);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}

void tt_progress_lock(struct tt_progress *progress)
{
	pthread_mutex_lock(&progress->lock);
}

void tt_progress_unlock(struct tt_progress *progress)
{
	if (tt_work_moves(progress->comm))
		pthread_cond_signal(&progress->work);
	pthread_mutex_unlock(&progress->lock);
}
