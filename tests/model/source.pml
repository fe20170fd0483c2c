/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source - offered buffers (src/host/source.h, src/host/gather.c): they are read only before their owner returns.
 *
 * In the first beat of a call a rank says where its buffer lies; whoever has seen that reads it, which takes a while.  The
 * last beat holds everybody until nobody reads any more.  Between two calls the owner writes its buffer anew.  A beat is
 * a count here: slots.pml shows that it can be.
 *
 *   NO_EXIT         mutation: the call ends without its last beat
 */
#ifndef N
#define N 2
#endif
#ifndef CALLS
#define CALLS 3
#endif

byte beat[N];   /* the last one that the rank has published */
byte buffer[N]; /* the call that the buffer's bytes belong to; 0 while its owner writes them */

inline meet()
{
	i = 0;
	do
	:: i < N -> beat[i] >= k; i++
	:: else -> break
	od
}

active [N] proctype rank()
{
	byte call, k, i, peer;

	for (call : 1 .. CALLS) {
		buffer[_pid] = 0;
		buffer[_pid] = call;
		k++;
		beat[_pid] = k;
		i = 0;
		do
		:: i < N ->
			peer = (_pid + i) % N;
			beat[peer] >= k;
			assert(buffer[peer] == call); /* the first byte */
			assert(buffer[peer] == call); /* the last byte, later */
			i++
		:: else -> break
		od;
#ifndef NO_EXIT
		k++;
		beat[_pid] = k;
		meet()
#endif
	}
}
