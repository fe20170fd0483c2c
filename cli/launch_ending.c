/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_ending - how a job is brought to its end: the stage moves forward, and all that runs is
 * signalled, here or through the hub.
 *
 * A rank is signalled as a group, and only while nobody has waited for its leader: until then no
 * stranger can have the group's number.  What has left its rank, or outlived it, hangs on the
 * keeper as a child, and is signalled by the group that it is in.
 */
#include "launch_keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const double patience = 5; /* seconds from SIGKILL to giving up */

double launch_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int launch_rank_of(const struct keeper *keeper, pid_t pid)
{
	for (int r = 0; r < keeper->nranks; r++)
		if (keeper->ranks[r].pid == pid && !keeper->ranks[r].ended)
			return r;
	return -1;
}

/* Children that are no rank, or have left their rank's group: a signal to each of their groups. */
static void signal_orphans(const struct keeper *keeper, int signal)
{
	pid_t *children;
	int n = launch_children(keeper->tagger, &children);

	for (int i = 0; i < n; i++) {
		pid_t group = getpgid(children[i]);
		bool signalled = group < 0 || launch_rank_of(keeper, group) >= 0;

		for (int j = 0; j < i && !signalled; j++)
			signalled = getpgid(children[j]) == group;
		if (group == getpgrp())
			kill(children[i], signal);
		else if (!signalled)
			killpg(group, signal);
	}
	free(children);
}

void launch_signal_ranks(struct keeper *keeper, int signal)
{
	for (int r = 0; r < keeper->nranks; r++)
		if (keeper->ranks[r].pid && !keeper->ranks[r].ended)
			killpg(keeper->ranks[r].pid, signal);
	signal_orphans(keeper, signal);
}

void launch_end(struct keeper *keeper, enum launch_cause cause, int signal)
{
	keeper->ending.cause = cause;
	keeper->ending.nothers = keeper->nrunning;
	keeper->stage = ENDING;
	keeper->stage_deadline = launch_now() + keeper->job->options->grace;
	keeper->signal(keeper, signal);
	keeper->signal(keeper, SIGCONT); /* a stopped process would not hear of it */
}

void launch_kill(struct keeper *keeper)
{
	keeper->ending.nkilled += keeper->nrunning;
	keeper->stage = KILLED;
	keeper->stage_deadline = launch_now() + patience;
	keeper->signal(keeper, SIGKILL);
}

void launch_fail_start(struct keeper *keeper, const struct launch_failure *failure)
{
	if (keeper->job->host)
		launch_tell_failure(keeper, failure);
	if (keeper->stage >= ENDING)
		return;
	keeper->ending.cause = CAUSE_START;
	keeper->ending.rank = failure->rank;
	keeper->ending.error = failure->error;
	keeper->ending.what = failure->what;
	launch_kill(keeper);
}

void launch_fail_host(struct keeper *keeper, const char *why)
{
	if (keeper->stage >= ENDING)
		return;
	snprintf(keeper->ending.why, sizeof keeper->ending.why, "%s", why);
	launch_end(keeper, CAUSE_HOST, SIGTERM);
}

void launch_fail_rank(struct keeper *keeper, int rank)
{
	if (keeper->job->host)
		return; /* the hub knows, and says what follows */
	if (keeper->stage >= ENDING) {
		if (keeper->stage == ENDING && keeper->ending.rank < 0)
			keeper->ending.rank = rank;
		return;
	}
	keeper->ending.rank = rank;
	if (!launch_skipped(keeper, rank)) {
		launch_end(keeper, CAUSE_RANK, SIGTERM);
	} else if (keeper->stage == RUNNING) {
		keeper->ending.cause = CAUSE_RANK;
		keeper->stage = SKIPPING;
		keeper->stage_deadline = launch_now() + keeper->job->options->grace;
	}
}
