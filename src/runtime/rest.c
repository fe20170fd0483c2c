/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rest - sleeping on several words at once.
 *
 * What moves a call is a slot that shows the next beat, what moves a message is the bell: the
 * kernel waits for any of them since Linux 5.16, and before that the sleep is a short nap.  Other
 * communicators have words that this rank must not touch while it sleeps, and so its sleeps are
 * short anyway, and longer the longer nothing has moved.
 *
 * Nothing is missed: as in transport/memory.c and host/wait.c the sleeper says that it sleeps, then
 * looks once more, and the kernel compares the words.
 */
#include "runtime/rest.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/work.h"

enum { SHORTEST_NS = 100000, LONGEST_NS = 2000000, SHARE = 8 /* of the time without a move */ };

#if defined(SYS_futex_waitv) && defined(FUTEX_WAITV_MAX)

struct words {
	struct futex_waitv word[FUTEX_WAITV_MAX];
	unsigned count;
};

static void add_word(struct words *words, _Atomic uint32_t *word, uint32_t seen)
{
	if (words->count < FUTEX_WAITV_MAX)
		words->word[words->count++] = (struct futex_waitv){
			.val = seen, .uaddr = (uintptr_t)word, .flags = FUTEX_32};
}

/* Of those that have not published the beat that is awaited, the next rank first. */
static void add_slots(struct words *words, const struct tt_host *host)
{
	for (int i = 1; i < host->nranks; i++) {
		int peer = tt_host_peer(host, i);
		struct tt_slot *slot = tt_host_slot(host, peer, host->awaited);
		uint32_t seen = atomic_load_explicit(&slot->beat, memory_order_seq_cst);
		if (seen != host->awaited && (host->awaits < 0 || host->awaits == peer))
			add_word(words, &slot->beat, seen);
	}
}

/* False when this kernel, or a filter, has no such call. */
static bool sleep_on(const struct words *words, uint64_t ns)
{
	uint64_t end = tt_clock_ns() + ns;
	struct timespec until = {.tv_sec = (time_t)(end / 1000000000u),
				 .tv_nsec = (long)(end % 1000000000u)};

	return syscall(SYS_futex_waitv, words->word, words->count, 0, &until,
		       CLOCK_MONOTONIC) >= 0 ||
	       (errno != ENOSYS && errno != EPERM);
}

/* seq_cst: counts are visible before the beats are looked at; pairs with tt_host_publish's fence */
static void say(struct tt_host *host, bool sleeps)
{
	atomic_store_explicit(&host->desk->listening, sleeps, memory_order_seq_cst);
	for (int peer = 0; peer < host->nranks; peer++)
		atomic_fetch_add_explicit(&tt_area_desk(host->area, peer)->sleepers,
					  sleeps ? 1 : UINT32_MAX, memory_order_seq_cst);
	if (sleeps && host->fences)
		tt_fence_all();
}

static bool sleep_for(totum_comm *comm, uint64_t ns)
{
	struct tt_host *host = &comm->host;
	uint32_t bell = atomic_load_explicit(&host->desk->bell, memory_order_relaxed);
	uint64_t mark = tt_work_mark(comm);
	struct words words = {.count = 0};
	bool slept = true;

	add_word(&words, &host->desk->bell, bell);
	if (comm->first) /* before the look: what comes after it differs from what was seen */
		add_slots(&words, host);
	say(host, true);
	tt_work_go_all(comm);
	if (tt_work_mark(comm) == mark)
		slept = sleep_on(&words, ns);
	say(host, false);
	return slept;
}

#else

static bool sleep_for(totum_comm *comm, uint64_t ns)
{
	(void)comm;
	(void)ns;
	return false;
}

#endif

void tt_waiting_begin(struct tt_waiting *waiting, uint64_t mark, bool moved)
{
	uint64_t now = tt_clock_ns();

	if (!waiting->began)
		waiting->began = now;
	if (moved || mark != waiting->mark || !waiting->since) {
		waiting->since = now;
		waiting->mark = mark;
	}
}

void tt_waiting_end(struct tt_waiting *waiting, totum_comm *comm)
{
	if (!waiting->began)
		return;
	comm->host.waits++;
	comm->host.waited_ns += tt_clock_ns() - waiting->began;
	*waiting = (struct tt_waiting){0};
}

void tt_rest(totum_comm *comm, struct tt_waiting *waiting)
{
	bool moved = tt_others_wait(comm) && tt_others_go(comm);

	tt_waiting_begin(waiting, tt_work_mark(comm), moved);
	uint64_t now = tt_clock_ns();
	if (!tt_host_patience(&comm->host, waiting->since, now))
		return;
	uint64_t ns = (now - waiting->since) / SHARE;
	ns = ns < SHORTEST_NS ? SHORTEST_NS : ns < LONGEST_NS ? ns : LONGEST_NS;
	if (!sleep_for(comm, ns))
		nanosleep(&(struct timespec){.tv_nsec = SHORTEST_NS}, NULL);
}
