/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_streams - the suite over four connections of each pair, on all loopback addresses. */
#include "transport/loopback.h"

static const struct tt_tcp_options loopback = {.interfaces = "lo", .streams = 4};

const struct world world = {"tcp_streams", prepare, meet, leave, forget};
