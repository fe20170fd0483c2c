/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stopped - a rank's state, as the kernel tells it in /proc.
 *
 * The number that a rank has published is its own idea of its process id.  The kernel's, as it is
 * here, comes with the lock on the roll: where both agree, /proc is about that very process.
 */
#include "host/stopped.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static bool is_locked_by(const struct tt_host *host, int peer, int pid)
{
	struct flock mark = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = host->job_ranks[peer],
			     .l_len = 1};

	return !fcntl(host->roll, F_GETLK, &mark) && mark.l_type != F_UNLCK && mark.l_pid == pid;
}

/* "12 (name) T 1 ..", where the name may have blanks and brackets; 0 when it cannot be read. */
static char state_of(int pid)
{
	char path[32], text[512];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	const char *end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

int tt_host_stopped(const struct tt_host *host, int peer)
{
	int pid = atomic_load_explicit(&tt_area_desk(host->area, peer)->pid, memory_order_relaxed);

	if (host->roll < 0 || pid <= 0 || !is_locked_by(host, peer, pid))
		return 0;
	char state = state_of(pid);
	return state == 'T' || state == 't' ? pid : 0;
}
