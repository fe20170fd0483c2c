/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roll - liveness by record locks.
 *
 * The locks belong to the process and vanish when it closes any descriptor of the file, so
 * the job keeps exactly one descriptor for as long as it lives, never duplicates it and never
 * maps the file.
 */
#include "host/roll.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "host/nameless.h"

totum_status tt_roll_create(int *out)
{
	int fd = tt_nameless("totum-roll");

	if (fd < 0)
		return tt_fail(TOTUM_ESYSTEM, "cannot create the job's roll: %s%s", strerror(errno),
			       tt_advice(errno));
	*out = fd;
	return TOTUM_OK;
}

totum_status tt_roll_sign(int fd, int rank)
{
	struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};

	if (fcntl(fd, F_SETLK, &mark))
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot sign the job's roll as rank %d: %s; "
			       "does another process run as this rank?",
			       rank, strerror(errno));
	return TOTUM_OK;
}

bool tt_roll_alive(int fd, int rank)
{
	struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1};

	return fcntl(fd, F_GETLK, &mark) || mark.l_type != F_UNLCK;
}
