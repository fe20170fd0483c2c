/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink.h - a new communicator of those who survived the failure of another. */
#ifndef TT_SHRINK_H
#define TT_SHRINK_H

#include "runtime/work.h"

/* Collective over the survivors of comm, which has failed and is entered. */
totum_status tt_comm_shrink(totum_comm *comm, totum_comm **out);

#endif
