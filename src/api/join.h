/* SPDX-License-Identifier: BSD-3-Clause */
/* join.h - the last step of every way to a communicator: it is known who this rank is. */
#ifndef TT_JOIN_H
#define TT_JOIN_H

#include "launch/identity.h"

/* The world of identity's job.  Collective over its ranks; the caller frees the communicator. */
totum_status tt_join_world(struct tt_identity *identity, const struct tt_settings *settings,
			   totum_comm **comm);

#endif
