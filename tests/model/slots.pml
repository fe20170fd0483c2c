/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots - the slots of src/host/area.h and the loop of src/host/task.c: nobody reads a slot that its writer refills.
 *
 * A slot holds the number of its beat and bytes.  A rank fills its slot of beat k, publishes the number, waits for that
 * number in everybody's slot and reads the bytes.  LATE: it reads them once more while it fills its slot of beat k+1, as
 * a reduction in chunks does.  An exact match is waited for, so a rank that has overtaken another one is a deadlock.
 *
 *   SLOTS=1         mutation: one slot a rank
 *   EARLY           mutation: the number is published before the bytes are there
 */
#ifndef N
#define N 2
#endif
#ifndef BEATS
#define BEATS 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef LATE
#define LATE 1
#endif

#define SLOT(rank, k) ((rank) * SLOTS + (k) % SLOTS)

byte beat[N * SLOTS];  /* the number that the slot shows */
byte bytes[N * SLOTS]; /* the beat that its bytes belong to; 0 while they are written */

active [N] proctype rank()
{
	byte k, i, peer;

	for (k : 1 .. BEATS) {
		bytes[SLOT(_pid, k)] = 0;
		i = 0;
		do
		:: LATE && k > 1 && i < N ->
			assert(bytes[SLOT(i, k - 1)] == k - 1);
			i++
		:: else -> break
		od;
#ifdef EARLY
		beat[SLOT(_pid, k)] = k;
		bytes[SLOT(_pid, k)] = k;
#else
		bytes[SLOT(_pid, k)] = k;
		beat[SLOT(_pid, k)] = k;
#endif
		i = 0;
		do
		:: i < N ->
			peer = (_pid + i) % N;
			beat[SLOT(peer, k)] == k;
			assert(bytes[SLOT(peer, k)] == k);
			i++
		:: else -> break
		od
	}
}
