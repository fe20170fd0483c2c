/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host.h - one rank's half of a communicator on one host: its view of the shared area, and how
 * ranks meet there.
 *
 * A call is a sequence of beats.  In a beat every rank publishes its slot and then waits for the
 * slots of those whose bytes it needs.  A slot carries the call's fingerprint, which everyone
 * compares with his own, at once or a few beats later (area.h): it costs no message, and a mismatch
 * is always found.
 */
#ifndef TT_HOST_H
#define TT_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/settings.h"
#include "host/area.h"
#include "host/away.h"
#include "host/call.h"
#include "host/fence.h"
#include "host/heap.h"

enum { TT_SCRATCH = 8 << 10 };

struct tt_host {
	int rank, nranks;             /* among those of the communicator on this host */
	const int *named;             /* [nranks], their ranks in the communicator; NULL: the same */
	int nnamed;                   /* ranks of the communicator when named is set */
	void *area;
	struct tt_head *head;
	struct tt_desk *desk;         /* this rank's */
	unsigned char *slots;         /* of rank 0, beat 0 */
	unsigned char *stages;        /* the same */
	size_t rank_stride, stage_stride, foreword;
	size_t stage;                 /* bytes of one */
	uint32_t beat;                /* the last one published */
	uint32_t settled;             /* the last one whose slots have all been seen and compared */
	uint32_t awaited;             /* the beat waited for, and by whose slot: -1 everybody's */
	int awaits;
	struct tt_fingerprint call;   /* the one under way */
	uint64_t calls;               /* how many have begun */
	uint64_t waits, waited_ns;    /* waits long enough to yield or sleep, and their time */
	enum tt_wait_policy wait;     /* never AUTO: decided when the communicator is made */
	uint32_t spins;               /* looks at a slot before the slow path */
	uint64_t timeout_ns;
	int roll;                     /* descriptor, -1 when the ranks are threads */
	const int *job_ranks;         /* of members, for the roll; borrowed from the communicator */
	const void **inputs;          /* [nranks], for reductions */
	struct tt_away away;          /* how it copies what goes one way */
	struct tt_away meets;         /* and what goes where all meet */
	const unsigned char **mapped; /* [nranks]: where offered buffers can be read, NULL: not so */
	void **copied;                /* [nranks]: copies of those that cannot be mapped, or NULL */
	unsigned char *scratch;       /* TT_SCRATCH bytes of a result on their way past the cache */
	unsigned char *offered;       /* [nranks]: in this task, whose bytes were read in place */
	const struct tt_segment *segment; /* of the job; and its ranks' heaps, by rank of the job */
	struct tt_heap *heaps;
	totum_status (*map_heap)(void *context, int job_rank);
	void *map_context;
	int32_t pid;
	bool fences;                  /* whoever goes to sleep fences all ranks: fence.h */
	bool reads_processes;         /* the ranks can read each other's private memory */
	bool reads_once;              /* but only what one rank alone reads: they share cores */
	size_t offer_from;            /* bytes from which a shard is offered rather than staged */
	size_t stream_from;           /* total bytes from which output is written past the cache */
};

/* The number by which sentences call a rank of this host. */
static inline int tt_host_name(const struct tt_host *host, int rank)
{
	return host->named ? host->named[rank] : rank;
}

/* Everything that concerns the job has been set; the area is mapped and stays the caller's. */
totum_status tt_host_open(struct tt_host *host, void *area, int rank, int nranks);
void tt_host_close(struct tt_host *host);

/* Where a rank's slot or stage lies in a turn through them: two neighbours swap theirs (area.h). */
static inline size_t tt_host_place(const struct tt_host *host, int rank, uint32_t turn)
{
	bool swaps = turn % 2 && (rank ^ 1) < host->nranks;

	return (size_t)(rank ^ (int)swaps) * host->rank_stride;
}

static inline struct tt_slot *tt_host_slot(const struct tt_host *host, int rank, uint32_t beat)
{
	return (struct tt_slot *)(host->slots + tt_host_place(host, rank, beat / TT_BEATS)) +
	       beat % TT_BEATS;
}

static inline unsigned char *tt_host_stage(const struct tt_host *host, int rank, uint32_t beat)
{
	return host->stages + tt_host_place(host, rank, beat / TT_STAGES) +
	       beat % TT_STAGES * host->stage_stride;
}

/* The i-th rank in the order this one, the next one, and on: nobody is read by all at once. */
static inline int tt_host_peer(const struct tt_host *host, int i)
{
	int peer = host->rank + i;

	return peer < host->nranks ? peer : peer - host->nranks;
}

/* --- beats ----------------------------------------------------------------------------------- */

void tt_host_wake(struct tt_host *host, struct tt_slot *slot);

/* Publishes beat host->beat, whose slot has been filled. */
static inline void tt_host_publish(struct tt_host *host, struct tt_slot *slot)
{
	tt_call_copy(&slot->call, &host->call);
	slot->number = (uint16_t)host->calls;
	/*
	 * The beat pairs with the acquire in tt_host_arrived; and it is stored before the look at
	 * the sleepers, who count themselves before they look at the beat (tt_host_sleep_for).
	 */
	uint32_t sleepers =
		tt_store_and_look(&slot->beat, host->beat, &host->desk->sleepers, host->fences);
	if (__builtin_expect(sleepers != 0, 0))
		tt_host_wake(host, slot);
}

/* Exact: the slot is not used again before this rank has compared it. */
static inline bool tt_host_arrived(const struct tt_slot *slot, uint32_t beat)
{
	return atomic_load_explicit(&slot->beat, memory_order_acquire) == beat;
}

/* Is peer's slot of the awaited beat waited for, and not there? */
static inline bool tt_host_lacks(const struct tt_host *host, int peer)
{
	return (host->awaits < 0 || host->awaits == peer) &&
	       !tt_host_arrived(tt_host_slot(host, peer, host->awaited), host->awaited);
}

totum_status tt_host_wait_slow(struct tt_host *host, int peer, uint32_t beat);
/* Sleeps until peer publishes the beat, somebody wakes this rank, or TT_CHECK_NS have passed. */
void tt_host_sleep_for(struct tt_host *host, int peer, uint32_t beat);
/* The failure that peer's call is not this rank's, in a beat that both have published. */
totum_status tt_host_mismatch(struct tt_host *host, int peer, uint32_t beat);

static inline void tt_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* A rank without a place on this host, for tt_host_show_wait. */
enum { TT_WAITS_FAR = -2 };

/*
 * Shows the others whom this rank waits for, -1: nobody.  It stands until the wait is over, also
 * while this rank is awake to look around, so that the chain of a timeout reaches its end whenever
 * it is read.
 */
static inline void tt_host_show_wait(struct tt_host *host, int peer)
{
	_Atomic int32_t *shown = &host->desk->waits_for;

	if (__builtin_expect(atomic_load_explicit(shown, memory_order_relaxed) != peer + 1, 0))
		atomic_store_explicit(shown, peer + 1, memory_order_relaxed);
}

/*
 * The slots of two ranks in the same beat: of the same call, and of the same one of those
 * that look alike?
 */
static inline bool tt_slot_agrees(const struct tt_slot *a, const struct tt_slot *b)
{
	return a->number == b->number && tt_call_same(&a->call, &b->call);
}

/* Waits until peer has published a beat, which this rank has too, and compares the calls. */
static inline totum_status tt_host_wait(struct tt_host *host, int peer, uint32_t beat)
{
	const struct tt_slot *slot = tt_host_slot(host, peer, beat);

	for (uint32_t i = 0; !tt_host_arrived(slot, beat); i++) {
		if (i >= host->spins) {
			totum_status status = tt_host_wait_slow(host, peer, beat);
			if (status)
				return status;
			break;
		}
		tt_pause();
	}
	if (__builtin_expect(!tt_slot_agrees(slot, tt_host_slot(host, host->rank, beat)), 0))
		return tt_host_mismatch(host, peer, beat);
	return TOTUM_OK;
}

/* Beside TOTUM_OK and the failures: it would have to wait. */
static const totum_status TT_NOT_YET = (totum_status)1;
/*
 * Waits for and compares all slots up to those of a beat that this rank has published;
 * TT_NOT_YET unless `block`.
 */
totum_status tt_host_settle(struct tt_host *host, uint32_t beat, bool block);

/* A call begins: TOTUM_OK, or the failure that the communicator has for good. */
totum_status tt_host_failed(const struct tt_host *host);
static inline totum_status tt_host_begin(struct tt_host *host, const struct tt_fingerprint *call)
{
	tt_call_copy(&host->call, call);
	host->calls++;
	atomic_store_explicit(&host->desk->calls, host->calls, memory_order_relaxed);
	/* acquire: pairs with the release in tt_host_fail, so that the sentence is there */
	if (__builtin_expect(atomic_load_explicit(&host->head->failed, memory_order_acquire) != 0,
			     0))
		return tt_host_failed(host);
	return TOTUM_OK;
}

/* --- failure --------------------------------------------------------------------------------- */

/*
 * Makes the communicator fail for good with a sentence that all ranks will report, unless it has
 * failed before; wakes everybody; returns tt_host_failed().  culprit is a rank or -1.
 */
totum_status tt_host_fail(struct tt_host *host, totum_status status, int culprit,
			  const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * The same by a rank that aborts, from any thread of it: nothing is read of a call that another one
 * may be in, and no sentence is left for the caller.
 */
void tt_host_abort(struct tt_host *host, int rank, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Has peer died, or freed the communicator? One system call. */
bool tt_host_gone(const struct tt_host *host, int peer);
/* tt_host_check for those that have not published the beat that is awaited. */
totum_status tt_host_check_beat(struct tt_host *host, uint64_t since);
/* The failure that a peer has died, or has freed the communicator. */
totum_status tt_host_lost(struct tt_host *host, int peer);
/*
 * Has this rank waited for longer than the deadline?  Where all that it waits for wait themselves,
 * for others than this one, a quarter longer, at most 0.5 s: theirs is the sentence that names the
 * culprit, and they are as late as this one.
 */
bool tt_host_late(const struct tt_host *host, uint64_t waited_ns, bool all_wait);
/* Does peer wait for another one than this rank, and is not stopped? */
bool tt_host_waits(const struct tt_host *host, int peer);
/*
 * The look that a waiting rank takes from time to time: has the communicator failed, has a rank
 * that this one waits for died or left, is this one late since `since`?
 * waits(context, peer) says for whom.
 */
totum_status tt_host_check(struct tt_host *host, uint64_t since,
			   bool (*waits)(const void *context, int peer), const void *context);

/* --- sleeping -------------------------------------------------------------------------------- */

enum { TT_CHECK_NS = 20000000 /* a sleeping rank looks around this often */ };

/* Sleeps until *word is no longer seen, somebody wakes it, or TT_CHECK_NS have passed. */
void tt_sleep(_Atomic uint32_t *word, uint32_t seen);
void tt_wake(_Atomic uint32_t *word);
/*
 * One step of a patient wait: a pause, a yield, or, when true is returned, the caller should sleep
 * now.  since and now are tt_clock_ns().
 */
bool tt_host_patience(const struct tt_host *host, uint64_t since, uint64_t now);
/* The same where several things are waited for: instead of sleeping on a word, a short nap. */
void tt_host_nap(const struct tt_host *host, uint64_t since);

#endif
