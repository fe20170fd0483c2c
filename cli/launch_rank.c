/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_rank - one rank, from fork to exec.
 *
 * The new process enters its own group, asks to be killed with the keeper, takes its environment,
 * its secret and its streams, and becomes the program with the signal state that the launcher's
 * caller had.  A step that fails is reported through a pipe that exec closes, so the keeper learns
 * the cause and not just a code.
 *
 * The secret lies in a sealed memory file of the rank's own: a program started later by the rank's
 * shell reads it again from the beginning, and it is in no list of arguments or variables.
 */
#include "launch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool set_number(const char *name, int value)
{
	char text[16];

	snprintf(text, sizeof text, "%d", value);
	return setenv(name, text, 1) == 0;
}

/* Where there are no memory files: one without a name, opened again for reading alone. */
static int unsealed_file(const char *secret)
{
	int fd = open("/dev/shm", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0400);
	char again[64];

	if (fd < 0)
		fd = open("/tmp", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0400);
	if (fd < 0)
		return -1;
	snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
	bool whole = pwrite(fd, secret, LAUNCH_SECRET, 0) == LAUNCH_SECRET;
	int readable = whole ? open(again, O_RDONLY) : -1;
	close(fd);
	return readable;
}

/* A descriptor that survives exec and reads the secret from its beginning; -1 with errno. */
static int secret_file(const char *secret)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	int fd = memfd_create("totum-secret", MFD_ALLOW_SEALING);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? -1 : unsealed_file(secret);
	if (pwrite(fd, secret, LAUNCH_SECRET, 0) != LAUNCH_SECRET || fcntl(fd, F_ADD_SEALS, seals))
		return -1;
	return fd;
}

/* In front: what stands there already may be meant to be asked after it. */
static bool set_preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *all = NULL;

	if (!library)
		return true;
	if (others && *others && asprintf(&all, "%s:%s", library, others) < 0)
		return false;
	return !setenv("LD_PRELOAD", all ? all : library, 1);
}

static bool set_environment(const struct launch_job *job, int rank)
{
	const struct launch_options *options = job->options;
	int secret = secret_file(job->secret);

	if (secret < 0)
		return false;
	for (char *const *entry = options->environment; entry && *entry; entry++)
		if (putenv(*entry))
			return false;
	return set_preload(options->preload) && set_number("TOTUM_RANK", launch_number(job, rank)) &&
	       set_number("TOTUM_SIZE", job->size) && set_number("TOTUM_LOCAL_RANK", rank) &&
	       set_number("TOTUM_LOCAL_SIZE", options->nranks) &&
	       set_number("TOTUM_SECRET_FD", secret) && !setenv("TOTUM_JOB_ID", job->id, 1) &&
	       !setenv("TOTUM_ROOT", job->root, 1);
}

static bool set_streams(const struct launch_job *job, int rank, const int output[2])
{
	if (launch_number(job, rank) > 0 || !job->stdin_for_rank0) {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (null < 0 || dup2(null, STDIN_FILENO) < 0)
			return false;
	}
	return !output ||
	       (dup2(output[0], STDOUT_FILENO) >= 0 && dup2(output[1], STDERR_FILENO) >= 0);
}

static bool set_cpus(const struct launch_job *job, int rank)
{
	if (job->options->bind == LAUNCH_BIND_NONE)
		return true;
	int cpu = launch_nth_cpu(rank);

	return cpu >= 0 && launch_bind_to(cpu);
}

static bool give_back_state(const struct launch_job *job)
{
	return !setrlimit(RLIMIT_NOFILE, &job->files) &&
	       !sigaction(SIGCHLD, &job->on_child, NULL) &&
	       !sigaction(SIGPIPE, &job->on_pipe, NULL) &&
	       !sigprocmask(SIG_SETMASK, &job->mask, NULL);
}

/* What could not be done with the new process, NULL when it is ready for exec. */
static const char *prepare(const struct launch_job *job, int rank, const int output[2])
{
	if (!set_environment(job, rank))
		return "give the job's variables to";
	if (!set_streams(job, rank, output))
		return "open the standard streams of";
	if (!set_cpus(job, rank))
		return "bind a cpu to";
	if (!give_back_state(job))
		return "restore the signals and limits of";
	return NULL;
}

_Noreturn static void become(const struct launch_job *job, int rank, const int output[2],
			     int failures, pid_t keeper)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper) /* it died before it could be asked for */
		_exit(LAUNCH_FAULT);
	struct launch_failure failure = {.rank = rank, .what = prepare(job, rank, output)};

	if (!failure.what)
		execvp(job->argv[0], job->argv);
	failure.error = errno;
	if (write(failures, &failure, sizeof failure) < 0)
		_exit(LAUNCH_FAULT);
	_exit(LAUNCH_NOT_FOUND);
}

pid_t launch_rank(const struct launch_job *job, int rank, const int output[2], int failures)
{
	pid_t keeper = getpid(), pid = fork();

	if (pid == 0)
		become(job, rank, output, failures, keeper);
	if (pid > 0)
		setpgid(pid, pid); /* the new process does so too: now it is true for both */
	return pid;
}
