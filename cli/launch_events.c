/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_events - what moves a job forward from outside, on one host or on several: signals, the
 * front, ends of ranks, and deadlines.
 */
#include "launch_keeper.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool asks_to_end(int signal)
{
	return signal != SIGCONT && signal != SIGUSR1 && signal != SIGUSR2;
}

/* The hub has decided, and keeps the deadlines: here its signals just begin a stage. */
static void obey(struct keeper *keeper, int signal)
{
	if (signal == SIGKILL) {
		launch_kill(keeper);
		return;
	}
	if (signal != SIGSTOP && asks_to_end(signal) && keeper->stage < ENDING)
		keeper->stage = ENDING;
	keeper->signal(keeper, signal);
}

void launch_take_signal(struct keeper *keeper, int signal)
{
	if (signal == SIGCHLD)
		return; /* every step looks for ended children */
	if (keeper->job->host) {
		obey(keeper, signal == SIGTSTP ? SIGSTOP : signal);
	} else if (signal == SIGTSTP) {
		keeper->signal(keeper, SIGSTOP);
	} else if (!asks_to_end(signal)) {
		keeper->signal(keeper, signal);
	} else if (keeper->stage < ENDING) {
		keeper->ending.rank = -1;
		keeper->ending.signal = signal;
		launch_end(keeper, CAUSE_SIGNAL, signal);
	} else if (signal == SIGINT && keeper->stage == ENDING) {
		launch_kill(keeper);
	} else {
		keeper->signal(keeper, signal);
	}
}

void launch_hear_signals(struct keeper *keeper)
{
	struct signalfd_siginfo info;

	while (read(keeper->job->signals, &info, sizeof info) == sizeof info)
		launch_take_signal(keeper, (int)info.ssi_signo);
}

void launch_hear_front(struct keeper *keeper)
{
	int signal;

	while (keeper->front_lives) {
		ssize_t got = recv(keeper->job->control, &signal, sizeof signal, MSG_DONTWAIT);

		if (got == sizeof signal) {
			launch_take_signal(keeper, signal);
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			return;
		} else {
			keeper->front_lives = false;
			keeper->ending.cause = CAUSE_ORPHANED;
			launch_kill(keeper);
		}
	}
}

/* How telling an end is: of ranks that have ended since the last look, the first is not known. */
static int gravity(const struct keeper *keeper, int rank)
{
	if (rank < 0 || keeper->ranks[rank].status == 0)
		return 0;
	if (launch_skipped(keeper, rank))
		return 1;
	return WIFSIGNALED(keeper->ranks[rank].status) ? 3 : 2;
}

int launch_note_end(struct keeper *keeper, int rank, int status, int worst)
{
	keeper->ranks[rank].ended = true;
	keeper->ranks[rank].status = status;
	keeper->nrunning--;
	return gravity(keeper, rank) > gravity(keeper, worst) ? rank : worst;
}

void launch_blame(struct keeper *keeper, int rank)
{
	struct ending *ending = &keeper->ending;

	if (keeper->stage < ENDING || ending->cause != CAUSE_RANK ||
	    gravity(keeper, rank) <= gravity(keeper, ending->rank))
		return;
	ending->rank = rank;
}

static bool runs(const void *set, int rank)
{
	const struct keeper *keeper = set;

	return keeper->ranks[rank].pid && !keeper->ranks[rank].ended;
}

void launch_pass_deadlines(struct keeper *keeper)
{
	struct ending *ending = &keeper->ending;

	if (keeper->stage < ENDING && launch_now() >= keeper->job_deadline) {
		launch_ranges_text(runs, keeper, keeper->nranks, ending->running,
				   sizeof ending->running);
		launch_end(keeper, CAUSE_TIMEOUT, SIGTERM);
	}
	if (launch_now() < keeper->stage_deadline)
		return;
	if (keeper->stage == SKIPPING) {
		launch_end(keeper, CAUSE_RANK, SIGTERM);
	} else if (keeper->stage == ENDING) {
		launch_kill(keeper);
	} else {
		keeper->stage = GIVEN_UP;
		keeper->stage_deadline = INFINITY;
	}
}

int launch_time_left(const struct keeper *keeper)
{
	double deadline = keeper->stage < ENDING
				  ? fmin(keeper->job_deadline, keeper->stage_deadline)
				  : keeper->stage_deadline;

	return (int)fmin(fmax(ceil(1e3 * (deadline - launch_now())), 0), INT_MAX);
}
