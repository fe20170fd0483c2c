/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_children - who descends from this process, and the end of them.
 *
 * Process groups do not hold what a rank starts: a grandchild may leave its group and lose its
 * parent.  But a subreaper inherits every orphan below it, so that all descendants hang, at any
 * time, on children of ours: killing children and taking in the orphans until no child is left ends
 * all of them.  Only children are ever signalled, and a child that nobody has waited for keeps its
 * number: no stranger is hit.
 *
 * Children are found by reading the parent of every process in /proc.
 */
#include "launch_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The fourth word of /proc/PID/stat; the second is a name in parentheses that may hold anything. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512];
	int parent = -1;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	ssize_t length = read(fd, text, sizeof text - 1);

	close(fd);
	text[length < 0 ? 0 : length] = '\0';
	const char *behind = strrchr(text, ')');

	if (!behind || sscanf(behind, ") %*c %d", &parent) != 1)
		return -1;
	return parent;
}

/* The kernel's word for it: /proc may be another namespace's, with other numbers. */
static bool is_child(pid_t pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

int launch_children(pid_t except, pid_t **out)
{
	DIR *proc = opendir("/proc");
	pid_t *children = NULL, self = getpid();
	int n = 0, room = 0;

	*out = NULL;
	if (!proc)
		return -1;
	for (struct dirent *entry; (entry = readdir(proc));) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0 || pid == except || parent_of(entry->d_name) != self || !is_child(pid))
			continue;
		if (n == room) {
			room = room ? 2 * room : 16;
			pid_t *more = realloc(children, (size_t)room * sizeof *more);

			if (!more)
				break; /* callers come back for the rest */
			children = more;
		}
		children[n++] = pid;
	}
	closedir(proc);
	*out = children;
	return n;
}

/* Kills and takes leave of the children there are; returns how many of them are not dead yet. */
static int end_children(const pid_t children[], int n)
{
	int living = 0;

	for (int i = 0; i < n; i++) {
		kill(children[i], SIGKILL);
		living += waitpid(children[i], NULL, WNOHANG) == 0;
	}
	return living;
}

int launch_children_end(pid_t except)
{
	const struct timespec pass = {0, 50000000};
	sigset_t child;
	struct timespec now;
	pid_t *children;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (time_t give_up = now.tv_sec + 5;;) {
		int n = launch_children(except, &children);
		int living = end_children(children, n);

		free(children);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (n <= 0 || now.tv_sec > give_up)
			return living;
		if (living)
			sigtimedwait(&child, NULL, &pass);
	}
}
