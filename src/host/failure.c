/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * failure - how a communicator fails: once, for good, and with the same sentence on every rank.
 *
 * The first rank to find something writes the sentence into the shared head and wakes everybody;
 * the others find it there when they wake, or when they next call.
 */
#include "host/failure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hostname.h"
#include "host/roll.h"
#include "host/stopped.h"

totum_status tt_host_failed_in(const struct tt_host *host, const char *what)
{
	char sentence[TT_FAILURE];

	memcpy(sentence, host->head->sentence, sizeof sentence);
	sentence[sizeof sentence - 1] = 0;
	return tt_fail((totum_status)host->head->status, "%s [rank %d of %d, %s]", sentence,
		       tt_host_name(host, host->rank), host->named ? host->nnamed : host->nranks,
		       what);
}

totum_status tt_host_failed(const struct tt_host *host)
{
	char call[TT_CALL_TEXT], what[TT_CALL_TEXT + 32];

	snprintf(what, sizeof what, "call %" PRIu64 ", %s", host->calls,
		 tt_call_describe(&host->call, call));
	return tt_host_failed_in(host, what);
}

static void wake_everybody(struct tt_host *host)
{
	for (int rank = 0; rank < host->nranks; rank++) {
		for (uint32_t beat = 0; beat < TT_BEATS; beat++)
			tt_wake(&tt_area_slot(host->area, host->nranks, rank, beat)->beat);
		struct tt_desk *desk = tt_area_desk(host->area, rank);
		atomic_fetch_add_explicit(&desk->bell, 1, memory_order_seq_cst);
		tt_wake(&desk->bell);
	}
}

/*
 * Whoever is dead, while nobody has failed, has died in its call or outside of one: no call of it
 * has returned a failure, after which its caller could have written to the buffers (reached.c).
 */
static void note_fallen(struct tt_host *host)
{
	for (int peer = 0; peer < host->nranks && host->roll >= 0; peer++)
		if (peer != host->rank && !tt_roll_alive(host->roll, host->job_ranks[peer]) &&
		    !atomic_load_explicit(&host->head->failed, memory_order_acquire))
			atomic_store_explicit(&tt_area_desk(host->area, peer)->fell, 1,
					      memory_order_relaxed);
}

/* The first failure stands. */
static void set_failure(struct tt_host *host, totum_status status, int culprit, const char *format,
			va_list args)
{
	struct tt_head *head = host->head;

	if (atomic_exchange_explicit(&head->failing, 1, memory_order_acq_rel)) {
		/*
		 * another rank is writing: it needs no help, and if it dies in doing so its
		 * sentence is the loss
		 */
		uint64_t since = tt_clock_ns();
		while (!atomic_load_explicit(&head->failed, memory_order_acquire) &&
		       tt_clock_ns() - since < TT_CHECK_NS)
			tt_pause();
		if (atomic_load_explicit(&head->failed, memory_order_acquire))
			return;
	}
	note_fallen(host);
	vsnprintf(head->sentence, sizeof head->sentence, format, args);
	head->status = status;
	head->culprit = culprit;
	/* seq_cst: before the look at who sleeps; release for the sentence */
	atomic_store_explicit(&head->failed, 1, memory_order_seq_cst);
	wake_everybody(host);
}

totum_status tt_host_fail(struct tt_host *host, totum_status status, int culprit,
			  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_failure(host, status, culprit, format, args);
	va_end(args);
	return tt_host_failed(host);
}

void tt_host_abort(struct tt_host *host, int rank, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_failure(host, TOTUM_EABORTED, rank, format, args);
	va_end(args);
}

/* Where calls in a row look alike, the first difference lies before the beat that shows it. */
static uint32_t first_difference(const struct tt_host *host, int peer, uint32_t beat)
{
	for (uint32_t earlier = host->settled + 1; earlier != beat; earlier++) {
		const struct tt_slot *mine = tt_host_slot(host, host->rank, earlier);
		const struct tt_slot *theirs = tt_host_slot(host, peer, earlier);
		if (tt_host_arrived(mine, earlier) && tt_host_arrived(theirs, earlier) &&
		    !tt_call_same(&mine->call, &theirs->call))
			return earlier;
	}
	return beat;
}

totum_status tt_host_differ(struct tt_host *host, int rank, const struct tt_fingerprint *mine,
			    int peer, const struct tt_fingerprint *theirs, const char *what)
{
	char my_text[TT_CALL_TEXT], their_text[TT_CALL_TEXT];
	bool first = rank < peer;

	tt_call_describe(mine, my_text);
	tt_call_describe(theirs, their_text);
	return tt_host_fail(host, TOTUM_EMISMATCH, -1,
			    "rank %d called %s, but rank %d called %s%s; "
			    "all ranks must make the same calls in the same order",
			    first ? rank : peer, first ? my_text : their_text,
			    first ? peer : rank, first ? their_text : my_text, what);
}

totum_status tt_host_mismatch(struct tt_host *host, int peer, uint32_t beat)
{
	beat = first_difference(host, peer, beat);
	const struct tt_slot *my_slot = tt_host_slot(host, host->rank, beat);
	const struct tt_slot *their_slot = tt_host_slot(host, peer, beat);
	const struct tt_fingerprint *mine = &my_slot->call, *theirs = &their_slot->call;
	const char *what = "";

	if (my_slot->number != their_slot->number)
		what = " after another number of calls";
	else if (tt_call_looks_same(mine, theirs))
		what = mine->algorithm == theirs->algorithm ? " with other counts of single ranks"
							    : " by another algorithm";
	return tt_host_differ(host, tt_host_name(host, host->rank), mine, tt_host_name(host, peer),
			      theirs, what);
}

/* ", waits for rank 2, that for rank 5": from peer on until one does not wait, or waits for us. */
static size_t write_chain(const struct tt_host *host, int peer, char *out, size_t size)
{
	size_t at = 0;

	for (int hop = 0; hop < host->nranks && at + 32 < size; hop++) {
		struct tt_desk *desk = tt_area_desk(host->area, peer);
		int next = atomic_load_explicit(&desk->waits_for, memory_order_relaxed) - 1;
		if (next < 0 || next >= host->nranks || next == host->rank)
			break;
		at += (size_t)snprintf(out + at, size - at, ", %s rank %d",
				       hop ? "that for" : "waits for", tt_host_name(host, next));
		peer = next;
	}
	return at;
}

const char *tt_host_describe(const struct tt_host *host, int peer, char out[static TT_ABSENT])
{
	struct tt_desk *desk = tt_area_desk(host->area, peer);
	int stopped = tt_host_stopped(host, peer);
	size_t at = (size_t)snprintf(out, TT_ABSENT, "%d (in call %" PRIu64,
				     tt_host_name(host, peer),
				     atomic_load_explicit(&desk->calls, memory_order_relaxed));

	if (stopped)
		at += (size_t)snprintf(out + at, TT_ABSENT - at, ", process %d is stopped",
				       stopped);
	at += write_chain(host, peer, out + at, TT_ABSENT - at - 2);
	snprintf(out + at, TT_ABSENT - at, ")");
	return out;
}

/* "1 (in call 4, waits for rank 2), 3 (in call 5) and 6 more": as many as fit, at least one. */
static void list_absent(struct tt_host *host, bool (*waits)(const void *, int), const void *context,
			char *out, size_t size)
{
	char one[TT_ABSENT];
	size_t at = 0;
	int more = 0;

	out[0] = 0;
	for (int peer = 0; peer < host->nranks; peer++) {
		if (!waits(context, peer))
			continue;
		tt_host_describe(host, peer, one);
		if (more ||
		    (at && at + strlen(one) + strlen(", ") + strlen(" and 65536 more") >= size)) {
			more++;
			continue;
		}
		at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", one);
	}
	if (more)
		snprintf(out + at, size - at, " and %d more", more);
}

/* " on host a", where the sentence will be read on other hosts too; else nothing. */
static const char *where(const struct tt_host *host, char out[static TT_HOST_NAME + 16])
{
	char name[TT_HOST_NAME];

	out[0] = '\0';
	if (!host->named)
		return out;
	tt_hostname(name);
	snprintf(out, TT_HOST_NAME + 16, " on host %s", name);
	return out;
}

totum_status tt_host_lost(struct tt_host *host, int peer)
{
	struct tt_desk *desk = tt_area_desk(host->area, peer);
	int pid = atomic_load_explicit(&desk->pid, memory_order_relaxed);
	int name = tt_host_name(host, peer);
	char here[TT_HOST_NAME + 16];

	/* the rank may have arrived between the look at its slot and the look at the roll */
	if (atomic_load_explicit(&desk->left, memory_order_acquire))
		return tt_host_fail(
			host, TOTUM_ELOST, name,
			"rank %d (process %d%s) has freed the communicator while others still "
			"call; let every rank make the same calls before it ends",
			name, pid, where(host, here));
	if (!pid)
		return tt_host_fail(host, TOTUM_ELOST, name,
				    "rank %d%s has died before it joined the communicator; "
				    "see its own output for why, and start the job anew",
				    name, where(host, here));
	return tt_host_fail(host, TOTUM_ELOST, name,
			    "rank %d (process %d%s) has died; "
			    "see its own output for why, and start the job anew",
			    name, pid, where(host, here));
}

bool tt_host_gone(const struct tt_host *host, int peer)
{
	const struct tt_desk *desk = tt_area_desk(host->area, peer);

	if (atomic_load_explicit(&desk->left, memory_order_acquire))
		return true;
	return host->roll >= 0 && !tt_roll_alive(host->roll, host->job_ranks[peer]);
}

bool tt_host_waits(const struct tt_host *host, int peer)
{
	const struct tt_desk *desk = tt_area_desk(host->area, peer);
	int next = atomic_load_explicit(&desk->waits_for, memory_order_relaxed) - 1;

	return (next >= 0 || next == TT_WAITS_FAR) && next != host->rank &&
	       !tt_host_stopped(host, peer);
}

bool tt_host_late(const struct tt_host *host, uint64_t waited_ns, bool all_wait)
{
	const uint64_t quarter = host->timeout_ns / 4, most = 500000000;

	return waited_ns >= host->timeout_ns &&
	       (!all_wait || waited_ns - host->timeout_ns >= (quarter < most ? quarter : most));
}

/* Does every rank that this one waits for wait for another one? */
static bool all_wait(const struct tt_host *host, bool (*waits)(const void *, int),
		     const void *context)
{
	for (int peer = 0; peer < host->nranks; peer++)
		if (waits(context, peer) && !tt_host_waits(host, peer))
			return false;
	return true;
}

totum_status tt_host_check(struct tt_host *host, uint64_t since, bool (*waits)(const void *, int),
			   const void *context)
{
	if (atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return tt_host_failed(host);
	for (int peer = 0; peer < host->nranks; peer++)
		/*
		 * what a rank has published before it went still counts: so gone is asked first,
		 * then waits again
		 */
		if (waits(context, peer) && tt_host_gone(host, peer) && waits(context, peer))
			return tt_host_lost(host, peer);
	uint64_t waited = tt_clock_ns() - since;
	if (!tt_host_late(host, waited, waited >= host->timeout_ns && all_wait(host, waits, context)))
		return TOTUM_OK;
	char absent[256];
	list_absent(host, waits, context, absent, sizeof absent);
	if (!absent[0])
		return TOTUM_OK;
	return tt_host_fail(host, TOTUM_ETIMEOUT, -1,
			    "rank %d waited %.3g s in call %" PRIu64 " for rank %s; "
			    "find out why these are late, or raise TOTUM_TIMEOUT",
			    tt_host_name(host, host->rank), (double)host->timeout_ns * 1e-9,
			    host->calls, absent);
}
