/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmi - a name for the job of a PMI-1 process manager (MPICH's and Intel's mpiexec).
 *
 * Every rank has a socket to the manager of its host, which the kernel knows the maker of: that
 * process is the same for all ranks of the job on this host and for no other job.  Nothing is said
 * over the socket.  A manager that has been asked for anything takes a process that ends without a
 * farewell for crashed, and kills the others; and an MPI library in the same process must find the
 * conversation untouched.
 */
#include "launch/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

totum_status tt_pmi_job_name(int fd, char out[static TT_ROOT])
{
	struct ucred manager = {0};
	socklen_t size = sizeof manager;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &manager, &size))
		return tt_fail(TOTUM_EINVAL, "PMI_FD=%d is no socket of a process manager: %s; "
			       "start the rank directly under mpiexec", fd, strerror(errno));
	if (manager.pid <= 0)
		return tt_fail(TOTUM_EUNSUPPORTED, "the process manager behind PMI_FD=%d is on "
			       "another host or in another container; start the ranks with "
			       "`totum run`", fd);
	snprintf(out, TT_ROOT, "%d", (int)manager.pid);
	return TOTUM_OK;
}
