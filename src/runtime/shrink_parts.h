/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink_parts.h - the second half of a shrink over several hosts. */
#ifndef TT_SHRINK_PARTS_H
#define TT_SHRINK_PARTS_H

#include "runtime/shrink.h"

/*
 * here is the communicator of comm's survivors on this host, and stays the caller's.  Collective
 * over all survivors.  TOTUM_ELOST when another one has died meanwhile: shrink comm once more.
 */
totum_status tt_comm_shrink_hosts(totum_comm *comm, totum_comm *here, totum_comm **out);

#endif
