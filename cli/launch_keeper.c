/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_keeper - starts the ranks, watches them, and leaves nothing of them behind.
 *
 * The keeper is a process between the launcher's front and the ranks, in a session of its own:
 * neither the terminal nor a SIGKILL to the front reaches it.  It hears of the front's end by the
 * end of their socket, and then kills the ranks.  When the keeper itself is killed, the ranks die
 * with it (parent-death signal) and what they started falls to the front, a subreaper too.  Only a
 * SIGKILL to both at once can leave a grandchild.
 *
 * Its life is one loop over events (launch_events.c, and failed starts) that moves a stage forward:
 * RUNNING, [SKIPPING,] ENDING, KILLED.  Below an agent it decides nothing: it tells the hub, and does
 * what that says.
 */
#include "launch_keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void hear_failures(struct keeper *keeper)
{
	struct launch_failure failure;

	while (read(keeper->failures, &failure, sizeof failure) == sizeof failure)
		launch_fail_start(keeper, &failure);
}

static void reap(struct keeper *keeper)
{
	int worst = -1, status;

	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		int rank = launch_rank_of(keeper, pid);

		if (pid == keeper->tagger) {
			keeper->tagger = 0;
			keeper->ending.output_lost |= status != 0;
		}
		if (rank < 0)
			continue;
		hear_failures(keeper); /* a rank that failed to start has said so before */
		worst = launch_note_end(keeper, rank, status, worst);
		launch_say_end(keeper, rank);
	}
	if (worst >= 0)
		launch_fail_rank(keeper, worst);
}

/* Waits for an event, or not, and deals with all there are. */
static void step(struct keeper *keeper, bool wait)
{
	struct pollfd polls[] = {
		{.fd = keeper->job->signals, .events = POLLIN},
		{.fd = keeper->front_lives ? keeper->job->control : -1, .events = POLLIN},
	};

	poll(polls, 2, wait ? launch_time_left(keeper) : 0);
	launch_hear_signals(keeper);
	launch_hear_front(keeper);
	reap(keeper);
	launch_pass_deadlines(keeper);
}

/* Starts a rank; with streams, its output goes into two pipes whose other ends they become. */
static bool start_rank(struct keeper *keeper, int rank, int streams[2], int failures)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	pid_t pid = -1;

	if (!streams || (!pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC)))
		pid = launch_rank(keeper->job, rank, streams ? (int[]){out[1], err[1]} : NULL,
				  failures);
	int error = errno;

	if (streams) {
		streams[0] = out[0];
		streams[1] = err[0];
		close(out[1]);
		close(err[1]);
	}
	if (pid < 0) {
		launch_fail_start(keeper, &(struct launch_failure){rank, error, "start"});
		return false;
	}
	keeper->ranks[rank].pid = pid;
	keeper->nrunning++;
	launch_say_start(keeper, rank);
	return true;
}

static void start_tagger(struct keeper *keeper, int *streams)
{
	keeper->tagger = launch_tagger(keeper->job, streams);
	if (keeper->tagger < 0) {
		launch_fail_start(keeper, &(struct launch_failure){0, errno, "tag the output of"});
		keeper->tagger = 0;
	}
	for (int i = 0; i < 2 * keeper->nranks; i++)
		if (streams[i] >= 0)
			close(streams[i]);
}

static void start_job(struct keeper *keeper, int *streams)
{
	int n = keeper->job->options->nranks, failures[2];

	for (int i = 0; streams && i < 2 * n; i++)
		streams[i] = -1;
	if (pipe2(failures, O_CLOEXEC)) {
		launch_fail_start(keeper, &(struct launch_failure){0, errno, "start"});
		return;
	}
	fcntl(failures[0], F_SETFL, O_NONBLOCK);
	keeper->failures = failures[0];
	for (int r = 0; r < n && keeper->stage < ENDING; r++) {
		if (!start_rank(keeper, r, streams ? &streams[2 * r] : NULL, failures[1]))
			break;
		step(keeper, false);
	}
	close(failures[1]);
	if (streams)
		start_tagger(keeper, streams);
}

/* All ranks have ended; where they were asked to, what they started has the grace time too. */
static bool finished(const struct keeper *keeper)
{
	pid_t *children;

	if (keeper->stage == GIVEN_UP)
		return true;
	if (keeper->nrunning)
		return false;
	if (keeper->stage != ENDING)
		return true;
	int n = launch_children(keeper->tagger, &children);

	free(children);
	return n <= 0;
}

/* Lets the tagger write what it has, for ever if all is well, else for the grace time again. */
static void finish_output(struct keeper *keeper)
{
	keeper->stage_deadline = INFINITY;
	if (keeper->stage >= ENDING) {
		keeper->stage = ENDING;
		keeper->stage_deadline = launch_now() + fmax(keeper->job->options->grace, 1);
	}
	step(keeper, false); /* its SIGCHLD may have gone to launch_children_end */
	while (keeper->tagger && keeper->front_lives && keeper->stage < KILLED)
		step(keeper, true);
	if (!keeper->tagger)
		return;
	if (keeper->front_lives)
		launch_say(keeper, "the rest of the output is lost: its reader does not take it");
	keeper->ending.output_lost = true;
	kill(keeper->tagger, SIGKILL);
	waitpid(keeper->tagger, NULL, 0);
}

/* Two pipes a rank need more descriptors than the usual soft limit; the ranks get that back. */
void launch_raise_file_limit(struct launch_job *job)
{
	getrlimit(RLIMIT_NOFILE, &job->files);
	struct rlimit most = {job->files.rlim_max, job->files.rlim_max};

	setrlimit(RLIMIT_NOFILE, &most);
}

void launch_keeper(struct launch_job *job)
{
	const struct launch_options *options = job->options;
	size_t n = (size_t)options->nranks;
	struct rank *ranks = calloc(n, sizeof *ranks);
	int *streams = options->tag_output ? calloc(2 * n, sizeof *streams) : NULL;
	struct keeper keeper = {
		.job = job,
		.nranks = options->nranks,
		.ranks = ranks,
		.signal = launch_signal_ranks,
		.failures = -1,
		.front_lives = true,
		.job_deadline = options->timeout > 0 ? launch_now() + options->timeout : INFINITY,
		.stage_deadline = INFINITY,
	};

	setsid();
	prctl(PR_SET_NAME, "rank-keeper"); /* `killall -9 totum` shall not hit both halves */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	launch_raise_file_limit(job);
	if (!ranks || (options->tag_output && !streams)) {
		launch_say(&keeper, "no memory for the table of %d ranks", options->nranks);
		_exit(LAUNCH_FAULT);
	}
	start_job(&keeper, streams);
	while (!finished(&keeper))
		step(&keeper, true);
	int left = launch_children_end(keeper.tagger);

	if (left)
		launch_say(&keeper, "%d processes do not end by SIGKILL; see them with ps", left);
	if (keeper.tagger)
		finish_output(&keeper);
	_exit(launch_verdict(&keeper));
}
