/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp - the suite over IPv4. */
#include "transport/loopback.h"

static const struct tt_tcp_options loopback = {.interfaces = "127.0.0.1", .streams = 1};

const struct world world = {"tcp", prepare, meet, leave, forget};
