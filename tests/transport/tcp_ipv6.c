/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_ipv6 - the suite over IPv6, with checksums. */
#include "transport/loopback.h"

static const struct tt_tcp_options loopback = {.interfaces = "::1", .streams = 1, .checksum = true};

const struct world world = {"tcp_ipv6", prepare, meet, leave, forget};
