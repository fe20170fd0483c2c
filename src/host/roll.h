/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roll.h - who is alive: a file in which every rank's process holds a lock on the byte of its rank.
 *
 * The kernel drops a process's record locks in the moment it ends, whatever ended it and
 * whether or not anybody has waited for it, a fork does not inherit them, and they hold across
 * process namespaces.  One descriptor a process thus watches any number of ranks, where sockets
 * or process descriptors would take one for each.  Threads of one process are not told apart:
 * they end together.
 */
#ifndef TT_ROLL_H
#define TT_ROLL_H

#include <stdbool.h>

#include "base/status.h"

/* A new, empty roll; and its mark for this process as rank, held until the descriptor is closed. */
totum_status tt_roll_create(int *fd);
totum_status tt_roll_sign(int fd, int rank);
/* One system call.  Only asked of ranks that other processes have signed for. */
bool tt_roll_alive(int fd, int rank);

#endif
