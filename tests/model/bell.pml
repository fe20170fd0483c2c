/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bell - the byte rings of src/transport/memory.c and the one word that a rank sleeps on, whatever it waits for: no wake-up
 * is lost and no byte is overwritten before it is read.
 *
 * Every rank sends UNITS to the next one through a ring of ROOM and receives as many.  Whoever advances a count looks
 * whether the other side listens, and if so rings: adds one to its bell and wakes it.  A sleeper reads its bell, says that it
 * listens, looks at all counts again, and sleeps if the bell is still the same.  A sleep never ends by itself here.
 *
 *   LOOK_FIRST      mutation: the ringer looks who listens before it advances the count
 *   SEEN_LATE       mutation: the sleeper reads its bell after it has looked at the counts
 *   MUTE            mutation: the ringer wakes but does not add to the bell
 *   FAILS           a rank may fail instead of moving: it says so and rings at everybody's; all ranks must end
 */
#ifndef N
#define N 2
#endif
#ifndef UNITS
#define UNITS 3
#endif
#ifndef ROOM
#define ROOM 2
#endif
#ifndef CHAIN
#define CHAIN 0
#endif

#define NEXT ((_pid + 1) % N)
#define BEFORE ((_pid + N - 1) % N)

/* The ring from rank r to the next one. */
byte ring[N * ROOM];
byte written[N], read[N];

bool rung[N]; /* has the bell been added to since its owner has read it?  What comparing the bell's count tells. */
bool listening[N], asleep[N], failed;

inline sound(peer)
{
#ifndef MUTE
	rung[peer] = true;
#endif
	asleep[peer] = false
}

/* The count at `place` becomes `value`, and peer is to know. */
inline advance(place, value, peer)
{
#ifdef LOOK_FIRST
	heard = listening[peer];
	place = value;
#else
	place = value;
	heard = listening[peer];
#endif
	if
	:: heard -> sound(peer)
	:: else
	fi
}

#define CAN_SEND (sent < to_send && written[_pid] - read[_pid] < ROOM)
#define CAN_RECEIVE (received < to_receive && written[BEFORE] != read[BEFORE])

inline listen_and_sleep()
{
#ifndef SEEN_LATE
	rung[_pid] = false;
#endif
	listening[_pid] = true;
	can = CAN_SEND;
	if
	:: !can -> can = CAN_RECEIVE
	:: else
	fi;
#ifdef SEEN_LATE
	rung[_pid] = false;
#endif
	if
	:: !can ->
		if
		:: !failed ->
			atomic {
				if
				:: !rung[_pid] -> asleep[_pid] = true
				:: else
				fi
			}
			!asleep[_pid]
		:: else
		fi
	:: else
	fi;
	listening[_pid] = false
}

active [N] proctype rank()
{
	byte sent, received, j;
	byte to_send = (CHAIN && _pid == N - 1 -> 0 : UNITS);
	byte to_receive = (CHAIN && _pid == 0 -> 0 : UNITS);
	bool heard, can;

	do
	:: failed || (sent == to_send && received == to_receive) -> break
#ifdef FAILS
	:: !failed ->
		failed = true;
		j = 0;
		do
		:: j < N -> sound(j); j++
		:: else -> break
		od;
		break
#endif
	:: !failed && CAN_SEND ->
		ring[_pid * ROOM + sent % ROOM] = sent + 1;
		sent++;
		assert(sent - read[_pid] <= ROOM);
		advance(written[_pid], sent, NEXT)
	:: !failed && CAN_RECEIVE ->
		assert(ring[BEFORE * ROOM + received % ROOM] == received + 1);
		received++;
		advance(read[BEFORE], received, BEFORE)
	:: !failed && !CAN_SEND && !CAN_RECEIVE && (sent < to_send || received < to_receive) ->
		listen_and_sleep()
	od
}
