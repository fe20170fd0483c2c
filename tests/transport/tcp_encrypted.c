/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_encrypted - the suite over two TLS connections of each pair. */
#include "transport/loopback.h"

static const struct tt_tcp_options loopback = {
	.interfaces = "127.0.0.1", .streams = 2, .encrypt = true};

const struct world world = {"tcp_encrypted", prepare, meet, leave, forget};
