/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait - how a rank waits on its host: look, then yield, then sleep.
 *
 * While every rank has a core, looking is fastest.  When ranks outnumber cores, looking steals the
 * core from the rank that is waited for, so a rank yields at once.  Nobody waits awake for long:
 * after YIELD_NS it sleeps on a futex, and a sleeping rank looks around every TT_CHECK_NS for the
 * dead and for its deadline.
 *
 * Sleep and wake cannot miss each other: the sleeper counts itself and then looks at the beat, the
 * publisher stores the beat and then looks at the count, both with full fences between (the sleeper
 * runs both: fence.h), and the kernel compares the word once more.
 */
#include "host/host.h"

#include <linux/futex.h>
#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	/* further looking, clock in view; no longer, since the peer may need this very core */
	SPIN_NS = 5000,
	YIELD_NS = 1000000, /* then yielding */
	NAP_NS = 100000,
};

void tt_sleep(_Atomic uint32_t *word, uint32_t seen)
{
	struct timespec most = {.tv_nsec = TT_CHECK_NS};

	syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, NULL, 0);
}

void tt_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void tt_host_wake(struct tt_host *host, struct tt_slot *slot)
{
	(void)host;
	tt_wake(&slot->beat);
}

bool tt_host_patience(const struct tt_host *host, uint64_t since, uint64_t now)
{
	if (host->wait == TT_WAIT_SPIN && now - since < SPIN_NS) {
		for (int i = 0; i < 64; i++)
			tt_pause();
		return false;
	}
	if (host->wait != TT_WAIT_SLEEP && now - since < YIELD_NS) {
		sched_yield();
		return false;
	}
	return true;
}

void tt_host_nap(const struct tt_host *host, uint64_t since)
{
	if (tt_host_patience(host, since, tt_clock_ns()))
		nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

void tt_host_sleep_for(struct tt_host *host, int peer, uint32_t beat)
{
	struct tt_slot *slot = tt_host_slot(host, peer, beat);
	struct tt_desk *desk = tt_area_desk(host->area, peer);

	/* seq_cst: counts before it looks at the beat; pairs with the fence in tt_host_publish */
	atomic_fetch_add_explicit(&desk->sleepers, 1, memory_order_seq_cst);
	if (host->fences)
		tt_fence_all();
	tt_host_show_wait(host, peer);
	uint32_t seen = atomic_load_explicit(&slot->beat, memory_order_seq_cst);
	if (seen != beat && !atomic_load_explicit(&host->head->failed, memory_order_seq_cst))
		tt_sleep(&slot->beat, seen);
	atomic_fetch_sub_explicit(&desk->sleepers, 1, memory_order_relaxed);
}

static bool waits_for_beat(const void *context, int peer)
{
	return tt_host_lacks(context, peer);
}

totum_status tt_host_check_beat(struct tt_host *host, uint64_t since)
{
	return tt_host_check(host, since, waits_for_beat, host);
}

totum_status tt_host_wait_slow(struct tt_host *host, int peer, uint32_t beat)
{
	const struct tt_slot *slot = tt_host_slot(host, peer, beat);
	uint64_t since = tt_clock_ns(), looked = since;

	host->awaited = beat;
	while (!tt_host_arrived(slot, beat)) {
		uint64_t now = tt_clock_ns();
		if (tt_host_patience(host, since, now))
			tt_host_sleep_for(host, peer, beat);
		bool failed = atomic_load_explicit(&host->head->failed, memory_order_relaxed) != 0;
		if (!failed && now - looked < TT_CHECK_NS)
			continue;
		looked = now;
		totum_status status = tt_host_check_beat(host, since);
		/* what was published before the failure still counts */
		if (status && !tt_host_arrived(slot, beat))
			return status;
	}
	tt_host_show_wait(host, -1);
	host->waits++;
	host->waited_ns += tt_clock_ns() - since;
	return TOTUM_OK;
}

totum_status tt_host_settle(struct tt_host *host, uint32_t beat, bool block)
{
	host->awaits = -1;
	while ((int32_t)(beat - host->settled) > 0) {
		uint32_t next = host->settled + 1;
		for (int peer = 0; peer < host->nranks; peer++) {
			if (!block && !tt_host_arrived(tt_host_slot(host, peer, next), next)) {
				host->awaited = next;
				return TT_NOT_YET;
			}
			totum_status status = tt_host_wait(host, peer, next);
			if (status)
				return status;
		}
		host->settled = next;
	}
	return TOTUM_OK;
}
