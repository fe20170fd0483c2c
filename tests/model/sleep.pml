/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sleep - a rank that sleeps for a beat (tt_host_sleep_for in src/host/wait.c) against the one that publishes it
 * (tt_host_publish in src/host/host.h): no wake-up is lost.
 *
 * The sleeper counts itself, then looks at the beat; the publisher stores the beat, then looks at the count; and the kernel
 * compares the word once more when it puts the sleeper on its queue.  A sleep never ends by itself here, so that a lost
 * wake-up is a deadlock, which spin reports as an invalid end state.
 *
 *   LOOK_FIRST      mutation: the publisher looks at the count before it stores the beat.  On a machine that may delay
 *                   stores, this is also what the code without sequential consistency does.
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

#define SLOT(rank, k) ((rank) * 2 + (k) % 2)

byte beat[N * 2];
byte sleepers[N]; /* how many count themselves as sleeping on that rank's beats */
byte queue[N];    /* the kernel's: 1 + the slot on whose beat the rank sleeps, 0: it is awake */
bool failed;
byte ended;

inline wake(slot)
{
	d_step {
		for (j : 0 .. N - 1) {
			if
			:: queue[j] == slot + 1 -> queue[j] = 0
			:: else
			fi
		}
		j = 0
	}
}

inline publish()
{
#ifdef LOOK_FIRST
	seen = sleepers[_pid];
	beat[SLOT(_pid, k)] = k;
#else
	beat[SLOT(_pid, k)] = k;
	seen = sleepers[_pid];
#endif
	if
	:: seen -> wake(SLOT(_pid, k))
	:: else
	fi
}

inline futex_wait(slot)
{
	atomic {
#ifdef NO_COMPARE
		queue[_pid] = slot + 1
#else
		if
		:: beat[slot] == seen -> queue[_pid] = slot + 1
		:: else
		fi
#endif
	}
	if
	:: queue[_pid] == 0
#ifdef TIMED
	:: queue[_pid] != 0 -> queue[_pid] = 0
#endif
	fi
}

inline sleep_for(peer)
{
	sleepers[peer]++;
	seen = beat[SLOT(peer, k)];
	if
	:: seen != k ->
		if
		:: !failed -> futex_wait(SLOT(peer, k))
		:: else
		fi
	:: else
	fi;
	sleepers[peer]--
}

active [N] proctype rank()
{
	byte k, i, j, seen;

	for (k : 1 .. BEATS) {
		if
		:: true -> publish()
#ifdef FAILS
		:: true ->
			failed = true;
			i = 0;
			do
			:: i < N * 2 -> wake(i); i++
			:: else -> goto end
			od
#endif
		fi;
		i = 1;
		do
		:: i < N && beat[SLOT((_pid + i) % N, k)] == k -> i++
		:: i < N && beat[SLOT((_pid + i) % N, k)] != k ->
			sleep_for((_pid + i) % N);
#ifndef DEAF
			if
			:: failed -> goto end
			:: else
			fi
#endif
		:: i == N -> break
		od
	}
end:
	ended++
}

#ifdef TIMED
ltl all_end { <> (ended == N) }
#endif
