/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor_child - starting, hearing and ending the doctor's children. */
#include "doctor_child.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

bool doctor_start(struct doctor_child *child, int (*body)(void *argument, int fd), void *argument)
{
	pid_t parent = getpid();
	int ends[2];

	*child = (struct doctor_child){-1, -1};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return false;
	child->fd = ends[0];
	child->pid = fork();
	if (child->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[0]);
		_exit(getppid() == parent ? body(argument, ends[1]) : 1);
	}
	close(ends[1]);
	return child->pid > 0;
}

bool doctor_tell(const struct doctor_child *child, const void *what, size_t bytes)
{
	return send(child->fd, what, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

bool doctor_hear(const struct doctor_child *child, void *out, size_t bytes)
{
	struct pollfd wait = {.fd = child->fd, .events = POLLIN};
	char *at = out;

	while (bytes) {
		if (poll(&wait, 1, PATIENCE_MS) != 1)
			return false;
		ssize_t got = read(child->fd, at, bytes);
		if (got <= 0)
			return false;
		at += got;
		bytes -= (size_t)got;
	}
	return true;
}

void doctor_end(struct doctor_child *child)
{
	if (child->fd >= 0)
		close(child->fd);
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
	}
	*child = (struct doctor_child){-1, -1};
}
