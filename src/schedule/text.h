/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - schedules as text: to read, to keep, and to write by hand or by another program.
 *
 *   schedule 1 allgather n=8 root=0 pieces=2 rounds=4 name=biring
 *   # round: primitive, operand, then what differs from the defaults
 *   0: shift +1 first=0 count=1 x3 step=1
 *   0: shift -1 first=0 count=1 x3 step=-1
 *   3: shift +1 first=3 count=1 pieces=0..1/2
 *   3: shift -1 first=-3 count=1 pieces=1..2/2
 *   end
 *
 *   shift DISTANCE  [first=0] [count=1] [stride=1] [xROUNDS] [step=0]
 *   exchange MASK   [field=0] [flip=0]
 *   move FROM>TO    [first=0] [count=1] [stride=1]
 *   each            [pieces=A..B/P] (from cut A to cut B of P, all of them when left out) [reduce]
 *
 * The number after `schedule` is the version of this format.  Blank lines and lines that begin with
 * # are skipped.  Nothing may follow `end`, and a text without it is truncated.
 */
#ifndef TT_TEXT_H
#define TT_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "schedule/ir.h"

/* A sealed schedule; TOTUM_ESYSTEM when the stream fails. */
totum_status tt_schedule_write(const struct tt_schedule *schedule, FILE *stream);
/*
 * A new sealed schedule from length bytes of text.  TOTUM_EPARSE with "name:line: what is wrong"
 * when it is none; the bytes may be anything.
 */
totum_status tt_schedule_parse(const char *name, const char *text, size_t length,
			       struct tt_schedule **out);

#endif
