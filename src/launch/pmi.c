/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmi - the one question that totum asks a PMI-1 process manager: the name of the job's key-value space, which is
 * the same for all ranks of a job and for no other job.
 *
 * PMI-1 is lines of "key=value" words over an inherited socket.  Nothing is initialised or finalised here, so that an
 * MPI library in the same process finds the conversation untouched.
 */
#include "launch/identity.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

enum { ANSWER_MS = 10000 };

static totum_status read_line(int fd, char *line, size_t size)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	for (size_t at = 0; at + 1 < size; at++) {
		if (poll(&ready, 1, ANSWER_MS) != 1)
			return tt_fail(TOTUM_ESYSTEM, "the process manager behind PMI_FD does not answer");
		if (read(fd, line + at, 1) != 1)
			return tt_fail(TOTUM_ESYSTEM, "the process manager behind PMI_FD has closed the connection");
		if (line[at] != '\n')
			continue;
		line[at] = 0;
		return TOTUM_OK;
	}
	return tt_fail(TOTUM_ESYSTEM, "the process manager behind PMI_FD answers with a line of over %zu bytes", size - 1);
}

totum_status tt_pmi_job_name(int fd, char out[static TT_ROOT])
{
	static const char question[] = "cmd=get_my_kvsname\n";
	char line[1024];

	if (write(fd, question, sizeof question - 1) != (ssize_t)sizeof question - 1)
		return tt_fail(TOTUM_EINVAL, "PMI_FD=%d cannot be written: %s; start the rank directly under mpiexec", fd,
			       strerror(errno));
	totum_status status = read_line(fd, line, sizeof line);
	if (status)
		return status;
	char *name = strstr(line, "kvsname=");
	if (!name)
		return tt_fail(TOTUM_ESYSTEM, "the process manager behind PMI_FD answered \"%.100s\" when asked for the job's name",
			       line);
	name += strlen("kvsname=");
	name[strcspn(name, " ")] = 0;
	snprintf(out, TT_ROOT, "%s", name);
	return TOTUM_OK;
}
