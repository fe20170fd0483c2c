/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fence.h - a memory fence that the one who seldom needs it runs for all.
 *
 * Whoever publishes stores a beat and then looks whether somebody sleeps; whoever goes to sleep
 * says so and then looks at the beat.  One of the two must see the other, for which both need a
 * full fence between store and look.  Publishing is frequent, and its fence waits for the peer's
 * cache line to come over; sleeping is rare and slow anyway.  So where the system has
 * membarrier(2), the sleeper makes every running thread of the job's processes pass a fence, and
 * the publisher has only to keep the compiler from changing the order.
 */
#ifndef TT_FENCE_H
#define TT_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* This process can be fenced by others and can fence them; once a process, costs a system call. */
bool tt_fence_join(void);
/* All processes that have joined pass a full fence. */
void tt_fence_all(void);

/*
 * Stores value, releasing what was written before, and then looks at `at`; light: those
 * concerned call tt_fence_all.
 */
static inline uint32_t tt_store_and_look(_Atomic uint32_t *to, uint32_t value,
					 const _Atomic uint32_t *at, bool light)
{
	if (!light) {
		atomic_store_explicit(to, value, memory_order_seq_cst);
		return atomic_load_explicit(at, memory_order_seq_cst);
	}
	atomic_store_explicit(to, value, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	return atomic_load_explicit(at, memory_order_relaxed);
}

/* What was read before this was read before whatever is looked at behind it. */
static inline void tt_fence_reads(void)
{
#ifdef __SANITIZE_THREAD__ /* which knows no fences between threads */
	atomic_signal_fence(memory_order_acquire);
#else
	atomic_thread_fence(memory_order_acquire);
#endif
}

#endif
