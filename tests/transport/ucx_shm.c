/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_shm - the suite over UCX's shared memory, which UCX takes only when it is told that it may,
 * because it notices the end of a peer by asking from time to time.
 */
#include "transport/ucx_meeting.h"

static void configure(void)
{
	setenv("UCX_TLS", "sysv,posix,self", 1);
	setenv("UCX_MM_ERROR_HANDLING", "y", 1);
}

const struct world world = {"ucx_shm", prepare, meet, leave, forget};
