/* SPDX-License-Identifier: BSD-3-Clause */
/* stopped.h - has a rank been stopped, by a signal or a debugger? */
#ifndef TT_STOPPED_H
#define TT_STOPPED_H

#include "host/host.h"

/*
 * The id of peer's process when that is stopped, else 0; also 0 where that cannot be known: of
 * ranks that are threads, and of processes that have another id here, in a namespace of their own.
 * Opens a file, so it is for messages.
 */
int tt_host_stopped(const struct tt_host *host, int peer);

#endif
