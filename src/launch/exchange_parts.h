/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_parts.h - the ways to exchange, one a file; exchange.c chooses by the beginning of the
 * root.
 */
#ifndef TT_EXCHANGE_PARTS_H
#define TT_EXCHANGE_PARTS_H

#include "launch/exchange.h"

/* Each is as tt_exchange_open for roots of its own. */
totum_status tt_exchange_tcp(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out);

#endif
