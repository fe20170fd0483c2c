/* SPDX-License-Identifier: BSD-3-Clause */
/* ucx_tcp - the suite over UCX's own TCP. */
#include "transport/ucx_meeting.h"

static void configure(void)
{
	setenv("UCX_TLS", "tcp,self", 1);
	setenv("UCX_NET_DEVICES", "lo", 1);
}

const struct world world = {"ucx_tcp", prepare, meet, leave, forget};
