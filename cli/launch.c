/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch - the launcher's front: the caller's process for the time of a job.
 *
 * It names the job, starts the keeper (for several hosts the hub), passes signals to it, prints its sentences, and takes its
 * exit code.  It never stands between the keeper and the ranks, so it may be slow, stopped or
 * killed.  Should the keeper be killed, what the ranks have started falls to the front, which then
 * ends it.
 */
#include "launch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct front {
	struct launch_job *job;
	pid_t keeper;
	int control; /* our end; -1 when the keeper's is closed */
};

static int refuse(const struct launch_options *options, const char *what)
{
	fprintf(stderr, "%s: cannot %s: %s\n", options->name, what, strerror(errno));
	return LAUNCH_FAULT;
}

bool launch_random(char *out, size_t n)
{
	unsigned char bytes[LAUNCH_SECRET / 2];

	if (getrandom(bytes, n, 0) != (ssize_t)n)
		return false;
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool name_job(struct launch_job *job)
{
	char unique[17], root[33];

	if (!launch_random(unique, 8) || !launch_random(root, 16) ||
	    !launch_random(job->secret, LAUNCH_SECRET / 2))
		return false;
	snprintf(job->id, sizeof job->id, "%d-%s", (int)getpid(), unique);
	snprintf(job->root, sizeof job->root, "local:%s", root);
	return true;
}

static void hear_keeper(struct front *front)
{
	char text[LAUNCH_SENTENCE];

	while (front->control >= 0) {
		ssize_t got = recv(front->control, text, sizeof text, MSG_DONTWAIT);

		if (got > 0) {
			fprintf(stderr, "%s: %.*s\n", front->job->options->name, (int)got, text);
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			return;
		} else {
			close(front->control);
			front->control = -1;
		}
	}
}

static void pass_signals(struct front *front)
{
	struct signalfd_siginfo info;

	while (read(front->job->signals, &info, sizeof info) == sizeof info) {
		int signal = (int)info.ssi_signo;

		if (signal == SIGCHLD)
			continue;
		front->job->interrupted |= signal == SIGINT;
		if (front->control >= 0)
			send(front->control, &signal, sizeof signal, MSG_NOSIGNAL);
		if (signal == SIGTSTP)
			raise(SIGSTOP);
	}
}

/* The job's exit code, once the keeper has ended. */
static int watch(struct front *front)
{
	int status = LAUNCH_FAULT << 8;

	while (waitpid(front->keeper, &status, WNOHANG) == 0) {
		struct pollfd polls[] = {
			{.fd = front->job->signals, .events = POLLIN},
			{.fd = front->control, .events = POLLIN},
		};

		poll(polls, 2, -1);
		hear_keeper(front);
		pass_signals(front);
	}
	hear_keeper(front);
	if (front->control >= 0)
		close(front->control);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	launch_children_end(0);
	fprintf(stderr, "%s: signal %d killed the keeper of the ranks (pid %d), and so them too\n",
		front->job->options->name, WTERMSIG(status), (int)front->keeper);
	return 128 + WTERMSIG(status);
}

static int run(struct launch_job *job)
{
	struct front front = {.job = job};
	const struct timeval patience = {.tv_usec = 200000};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return refuse(job->options, "make a socket");
	setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	fflush(NULL);
	front.keeper = fork();
	if (front.keeper == 0) {
		close(ends[0]);
		job->control = ends[1];
		if (job->options->hosts)
			launch_hub(job);
		launch_keeper(job);
	}
	front.control = ends[0];
	close(ends[1]);
	if (front.keeper > 0)
		return watch(&front);
	close(ends[0]);
	return refuse(job->options, "start a process");
}

/* All that a process can be told, but for what the caller is deaf to. */
static sigset_t signals_to_pass(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
				      SIGUSR2, SIGTSTP, SIGCONT, SIGCHLD};
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i] == SIGCHLD || sigaction(signals[i], NULL, &action) ||
		    action.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	return set;
}

/* A descriptor that is closed would be taken by one of ours, and a rank would write into it. */
static void fill_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* In the background a terminal's input belongs to the shell in front. */
static bool may_read_stdin(void)
{
	pid_t foreground = tcgetpgrp(STDIN_FILENO);

	return foreground < 0 || foreground == getpgrp();
}

static int run_prepared(struct launch_job *job, const sigset_t *signals,
			int (*front)(struct launch_job *job))
{
	struct termios terminal;
	bool keep_terminal = job->stdin_for_rank0 && !tcgetattr(STDIN_FILENO, &terminal);
	int was_reaper = 0, code;

	job->signals = signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (job->signals < 0)
		return refuse(job->options, "listen to signals");
	prctl(PR_GET_CHILD_SUBREAPER, &was_reaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	code = front(job);
	prctl(PR_SET_CHILD_SUBREAPER, was_reaper);
	if (keep_terminal && may_read_stdin()) /* a killed rank 0 may have left it raw */
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	close(job->signals);
	return code;
}

int launch_front(struct launch_job *job, int (*front)(struct launch_job *job))
{
	sigset_t signals = signals_to_pass();

	fill_standard_streams();
	job->stdin_for_rank0 = may_read_stdin();
	sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &job->on_child);
	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &job->on_pipe);
	sigprocmask(SIG_BLOCK, &signals, &job->mask);
	int code = run_prepared(job, &signals, front);

	sigaction(SIGCHLD, &job->on_child, NULL);
	sigaction(SIGPIPE, &job->on_pipe, NULL);
	sigprocmask(SIG_SETMASK, &job->mask, NULL);
	return code;
}

int launch_job(const struct launch_options *options, char *const argv[])
{
	struct launch_job job = {.options = options, .argv = argv, .size = options->nranks};

	if (!name_job(&job))
		return refuse(options, "get random bytes");
	int code = launch_front(&job, run);

	if (job.interrupted && code == 128 + SIGINT)
		raise(SIGINT);
	return code;
}
