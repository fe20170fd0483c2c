/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sleep - a rank that sleeps for a beat (tt_host_sleep_for in src/host/wait.c) against the one that publishes it
 * (tt_host_publish in src/host/host.h), on a machine that delays stores: no wake-up is lost.
 *
 * What a rank publishes waits in its store buffer and becomes visible later, in order.  The sleeper counts itself, makes all
 * ranks pass a fence (src/host/fence.h), which empties their buffers one after the other, and then looks at the beat.  The
 * publisher has no fence: it stores the beat and looks at the count.  The kernel compares the word once more when it puts
 * the sleeper on its queue, and passes a fence itself before it wakes.  A rank waits for all or for nobody, so it may run
 * ahead; every beat has a slot of its own here.  A sleep never ends by itself, so that a lost wake-up is a deadlock, which
 * spin reports as an invalid end state.
 *
 *   FULL            where a rank cannot fence the others: the publisher passes a fence between store and look
 *   NO_FENCE        mutation: nobody passes a fence
 *   LOOK_FIRST      mutation: the publisher looks at the count before it stores the beat, as a compiler might order it
 *   FENCE_FIRST     mutation: the sleeper makes the others pass a fence before it counts itself
 *   NO_COMPARE      mutation: the kernel does not compare
 *   FAILS           a rank may fail in place of any beat: it says so and wakes everybody.  The word that is slept on does
 *                   not change, so this wake-up can be lost;
 *   FAILS TIMED     and that is why every sleep ends by itself after a while: then all ranks end (checked with fairness)
 *   FAILS TIMED DEAF  mutation: unless they do not look for a failure after a sleep
 */
#ifndef N
#define N 2
#endif
#ifndef BEATS
#define BEATS 3
#endif

byte stored[N];   /* beats that the rank has published */
byte visible[N];  /* how many of them have left its store buffer */
byte sleepers[N]; /* how many count themselves as sleeping on that rank's beats: atomic, so never in a buffer */
byte queue[N];    /* the kernel's: 1 + the peer on whose beat the rank sleeps, 0: it is awake */
byte asleep[N];   /* and the number of that beat */
bool failed;
byte ended;

#define FENCE(rank) visible[rank] = stored[rank]
#define ARRIVED(peer, k) (visible[peer] >= k)

inline fence_all()
{
	j = 0;
	do
	:: j < N -> FENCE(j); j++
	:: else -> j = 0; break
	od
}

/* Those who sleep for a beat of rank: `all` wakes them whichever it is. */
inline wake(rank, k, all)
{
	FENCE(_pid);
	for (j : 0 .. N - 1) {
		if
		:: queue[j] == rank + 1 && (all || asleep[j] == k) -> queue[j] = 0
		:: else
		fi
	}
	j = 0
}

inline publish()
{
#ifdef LOOK_FIRST
	seen = sleepers[_pid];
	stored[_pid] = k;
#else
#ifdef FULL
	d_step {
		stored[_pid] = k;
		FENCE(_pid)
	}
#else
	stored[_pid] = k;
#endif
	seen = sleepers[_pid];
#endif
	d_step {
		if
		:: seen -> wake(_pid, k, false)
		:: else
		fi;
		seen = 0
	}
}

inline futex_wait(peer)
{
	atomic {
#ifdef NO_COMPARE
		queue[_pid] = peer + 1;
		asleep[_pid] = k
#else
		if
		:: !ARRIVED(peer, k) -> queue[_pid] = peer + 1; asleep[_pid] = k
		:: else
		fi
#endif
	}
	atomic {
		if
		:: queue[_pid] == 0
#ifdef TIMED
		:: queue[_pid] != 0 -> queue[_pid] = 0
#endif
		fi;
		asleep[_pid] = 0;
		count(peer, -1)
	}
}

inline count(peer, more)
{
	FENCE(_pid);
	sleepers[peer] = sleepers[peer] + more
}

inline sleep_for(peer)
{
#ifdef FENCE_FIRST
	fence_all();
#endif
	atomic { count(peer, 1) }
#if !defined(FULL) && !defined(NO_FENCE) && !defined(FENCE_FIRST)
	fence_all();
#endif
	if
	:: atomic { !ARRIVED(peer, k) && !failed -> skip }
		futex_wait(peer)
	:: atomic { ARRIVED(peer, k) || failed -> count(peer, -1) }
	fi
}

inline fail()
{
	d_step {
		FENCE(_pid);
		failed = true
	}
	do
	:: i < N -> d_step { wake(i, 0, true); i++ }
	:: else -> break
	od
}

active [N] proctype rank()
{
	byte k, i, j, seen;

	for (k : 1 .. BEATS) {
		if
		:: true -> publish()
#ifdef FAILS
		:: true -> fail(); goto end
#endif
		fi;
		atomic {
			if
			:: i = 1
			:: i = N /* for nobody */
			fi;
look:
			do
			:: i < N && ARRIVED((_pid + i) % N, k) -> i++
			:: else -> break
			od
		}
		if
		:: i < N ->
			sleep_for((_pid + i) % N);
#ifndef DEAF
			if
			:: failed -> goto end
			:: else
			fi;
#endif
			goto look
		:: else -> i = 0
		fi
	}
end:
	ended++
}

active [N] proctype store_buffer()
{
end:
	do
	:: visible[_pid - N] < stored[_pid - N] -> visible[_pid - N]++
	od
}

#ifdef TIMED
ltl all_end { <> (ended == N) }
#endif
