/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots - the two rules of src/host/area.h and the loop of src/host/task.c, over any number of beats: no slot and no stage is
 * refilled while somebody may still read it or has still to compare it, and nobody is overtaken.
 *
 * In every beat a rank fills its slot, and its stage or not; publishes; and waits for all, for rank 0 only, or for nobody,
 * as it likes: the collectives are some of these cases.  After a beat in which it has waited for all it may run ahead:
 * it fills and publishes the next one before it reads this one.  It may read the bytes of a beat until it publishes the
 * next one, or, where it runs ahead, the one after that.
 *
 * What must be true is asserted where a rank refills.  An exact match is waited for, so that a rank that has been overtaken
 * is a deadlock.  A step is atomic up to where it waits: what it has waited for stays as it is, which is asserted, so a pause
 * within it is the same as one before it.  Beats are counted modulo 2 x SLOTS, more than the ranks can be apart.
 *
 *   LEAD=3          mutation: a rank publishes too far ahead of the others
 *   SLOTS=5 LEAD=3  the same, but the bytes are safe: a call is overwritten before everyone has compared it
 *   STAGE_LEAD=2    mutation: a stage is filled too early
 *   NO_SETTLE       mutation: a rank publishes without looking at the others
 *   GREEDY          mutation: a rank that runs ahead publishes beat k+1 before it has read beat k-1
 *   EARLY           mutation: the number is published before the bytes are there
 */
#ifndef N
#define N 2
#endif
#ifndef SLOTS
#define SLOTS 4
#endif
#ifndef LEAD
#define LEAD (SLOTS / 2)
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef STAGE_LEAD
#define STAGE_LEAD 1
#endif

#define BEATS (2 * SLOTS)
/* Two neighbours swap their slots in every other turn. */
#define PLACE(rank, turn) ((turn) % 2 == 1 && ((rank) ^ 1) < N -> (rank) ^ 1 : (rank))
#define SLOT(rank, beat) (PLACE(rank, (beat) / SLOTS) * SLOTS + (beat) % SLOTS)
#define AFTER(beat) (((beat) + 1) % BEATS)
#define MINUS(a, b) (((a) + BEATS - (b)) % BEATS)
/* Has a rank that has come to `reached` still to do with what is refilled in beat k, where there are `places`?  Ranks that
 * are ahead of this one by no more than LEAD have not. */
#define NEEDS(reached, places) (MINUS(k, reached) > (places) && MINUS(k, reached) <= BEATS - LEAD)

byte beat[N * SLOTS];  /* the number that the slot shows */
byte bytes[N * SLOTS]; /* the beat that its call and bytes belong to */
byte settled[N];       /* the last beat of which the rank has compared all slots */
byte done[N];          /* the last beat of which it reads no bytes any more */

/* The acquire, and the comparison of the calls. */
inline wait_for(peer, number)
{
	beat[SLOT(peer, number)] == number;
	assert(bytes[SLOT(peer, number)] == number)
}

inline wait_for_all(number)
{
	i = 1;
	do
	:: i < N -> wait_for((me + i) % N, number); i++
	:: else -> break
	od;
	i = 0
}

inline settle(number)
{
	do
	:: settled[me] != number ->
		wait_for_all(AFTER(settled[me]));
		settled[me] = AFTER(settled[me])
	:: else -> break
	od
}

/* Fills and publishes beat k; from here on this rank has done with all beats up to `last`. */
inline publish(last)
{
	do
	:: i < N ->
		assert(!NEEDS(settled[i], SLOTS));
		assert(!NEEDS(done[i], SLOTS));
		assert(!stages || !NEEDS(done[i], STAGES));
		i++
	:: else -> break
	od;
	i = 0;
	done[me] = last;
#ifndef EARLY
	bytes[SLOT(me, k)] = k;
#endif
	beat[SLOT(me, k)] = k
}

inline next()
{
	k = AFTER(k);
	if
	:: stages = true
	:: stages = false
	fi
}

inline publish_by_the_rules()
{
	next();
#ifndef NO_SETTLE
	if
	:: MINUS(k, settled[me]) > (stages -> STAGE_LEAD : LEAD) -> settle(MINUS(k, (stages -> STAGE_LEAD : LEAD)))
	:: else
	fi;
#endif
	publish(MINUS(k, 1))
}

inline run_ahead()
{
	wait_for_all(k);
	settle(k);
	next();
	publish(done[me])
}

inline read_the_last()
{
	do
	:: i < N -> assert(bytes[SLOT(i, MINUS(k, 1))] == MINUS(k, 1)); i++
	:: else -> break
	od;
	i = 0;
	done[me] = MINUS(k, 1)
}

/* Beat k has been published and is met. */
proctype rank(byte me)
{
	byte k, i;
	bool stages;

	do
#ifdef EARLY
	:: bytes[SLOT(me, k)] != k -> bytes[SLOT(me, k)] = k
	:: bytes[SLOT(me, k)] == k ->
#else
	::
#endif
		if
		:: atomic { publish_by_the_rules() } /* has waited for nobody */
		:: atomic { me != 0 -> wait_for(0, k); publish_by_the_rules() }
		:: atomic { wait_for_all(k); publish_by_the_rules() } /* a root: has not looked at the beats before */
		:: atomic { wait_for_all(k); settle(k); publish_by_the_rules() }
		:: atomic { run_ahead() }
#ifdef GREEDY
			atomic { run_ahead() }
#endif
			atomic { read_the_last() }
		fi
	od
}

/* All have published, compared and read the beats up to 0. */
init {
	atomic {
		byte i;

		for (i : 0 .. N * SLOTS - 1) {
			beat[i] = (i % SLOTS -> BEATS - SLOTS + i % SLOTS : 0);
			bytes[i] = beat[i]
		}
		for (i : 0 .. N - 1) {
			run rank(i)
		}
	}
}
