/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source - offered buffers (src/host/offer.h): they are read only before their owner returns, and all ranks agree on how many
 * beats a call has.
 *
 * A call is an all-gather or a broadcast.  In its first beat everyone who sends says whether its buffer may be read where it
 * lies; if not, it stages its bytes in as many beats as these need, the first beat among them.  Whoever has seen an offer
 * reads at once, which takes a while.  Where somebody has offered, a second beat holds everybody, or a broadcast's root,
 * until nobody reads any more: the second one of those who stage serves as well.  Between two calls a rank writes its buffer
 * anew.  A beat is a count here: slots.pml shows that it can be.
 *
 *   NO_EXIT         mutation: the call ends without the second beat unless somebody stages that much
 *   HASTY           mutation: a rank runs ahead in the first beat: it publishes the second one and reads the offers then
 */
#ifndef N
#define N 2
#endif
#ifndef CALLS
#define CALLS 3
#endif

#define STAGED(rank) (1 + (rank) % 2) /* beats that a rank's bytes need */
#define AT(rank, k) ((rank) * 2 * CALLS + (k) - 1)

mtype = { unknown, allgather, broadcast };
mtype kind[CALLS + 1] = unknown;

byte beat[N];                /* the last one that the rank has published */
bool offer[N * 2 * CALLS];   /* what it says in its slot of each */
byte buffer[N];              /* the call that the buffer's bytes belong to; 0 while its owner writes them */
byte beats[CALLS + 1];       /* that have been published at the end of a call, by whoever came there first */

inline agree_on_call()
{
	atomic {
		if
		:: kind[call] == unknown -> kind[call] = allgather
		:: kind[call] == unknown -> kind[call] = broadcast
		:: else
		fi
	}
}

inline publish(offers)
{
	d_step {
		k++;
		offer[AT(_pid, k)] = offers;
		beat[_pid] = k
	}
}

inline wait_for_all()
{
	atomic {
		i = 0;
		do
		:: i < N -> beat[i] >= k; i++
		:: else -> break
		od;
		i = 0
	}
}

inline read(peer)
{
	assert(buffer[peer] == call); /* the first byte */
	assert(buffer[peer] == call)  /* the last byte, later */
}

/* What the slot of the first beat says. */
inline look(peer)
{
	atomic {
		beat[peer] >= first;
		if
		:: offer[AT(peer, first)] -> offered = true
		:: !offer[AT(peer, first)] && STAGED(peer) > staged -> staged = STAGED(peer)
		:: else
		fi
	}
}

inline read_if_offered(peer)
{
	if
	:: offer[AT(peer, first)] && peer != _pid -> read(peer)
	:: else
	fi
}

inline look_at_all()
{
	do
	:: i < N ->
		peer = (_pid + i) % N;
		look(peer);
#ifndef HASTY
		read_if_offered(peer);
#endif
		i++
	:: else -> i = 0; break
	od
}

inline second_beat_of_all()
{
	publish(false);
#ifdef HASTY
	do
	:: i < N -> read_if_offered(i); i++
	:: else -> break
	od;
#endif
	wait_for_all()
}

inline second_beat_of_broadcast()
{
	publish(false);
	if
	:: _pid == root && offered -> wait_for_all()
	:: _pid != root && !offered -> beat[root] >= k
	:: else
	fi
}

inline end_call()
{
	d_step {
		assert(beats[call] == 0 || beats[call] == k);
		beats[call] = k;
		offered = false;
		staged = 0;
		buffer[_pid] = 0
	}
}

#ifdef NO_EXIT
#define HAS_SECOND (staged == 2)
#else
#define HAS_SECOND (staged == 2 || offered)
#endif

active [N] proctype rank()
{
	byte k, call, first, staged, i, peer, root;
	bool offered;

	for (call : 1 .. CALLS) {
		buffer[_pid] = call;
		agree_on_call();
		root = call % N;
		first = k + 1;
		if
		:: publish(false)
		:: publish(true)
		fi;
		if
		:: kind[call] == allgather ->
			look_at_all();
			if
			:: HAS_SECOND -> second_beat_of_all()
			:: else
			fi
		:: else ->
			look(root);
			read_if_offered(root);
			if
			:: HAS_SECOND -> second_beat_of_broadcast()
			:: else
			fi
		fi;
		end_call()
	}
}
