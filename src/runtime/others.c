/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * others - helping the communicators that are under way.
 *
 * The lock is held to change the list, never while a communicator goes on, which may copy much.
 * The helper marks the communicator as busy with the lock held, so that it is still there, and
 * takes the mark away when it is done with it: until then its owner can neither use nor free it.
 */
#include "runtime/others.h"

#include "runtime/comm.h"
#include "runtime/trace.h"
#include "runtime/work.h"

void tt_others_open(struct tt_others *others)
{
	pthread_mutex_init(&others->lock, NULL);
	others->last = &others->first;
}

void tt_others_close(struct tt_others *others)
{
	tt_trace_close(others->trace);
	pthread_mutex_destroy(&others->lock);
}

/* The lock is held. */
static void take_out(struct tt_others *others, totum_comm *comm)
{
	totum_comm **link = &others->first;

	while (*link != comm)
		link = &(*link)->next_under_way;
	*link = comm->next_under_way;
	if (!*link)
		others->last = link;
}

static void put_last(struct tt_others *others, totum_comm *comm)
{
	comm->next_under_way = NULL;
	*others->last = comm;
	others->last = &comm->next_under_way;
}

static void set(totum_comm *comm, bool under_way)
{
	struct tt_others *others = comm->others;

	pthread_mutex_lock(&others->lock);
	if (under_way)
		put_last(others, comm);
	else
		take_out(others, comm);
	comm->under_way = under_way;
	atomic_fetch_add_explicit(&others->count, under_way ? 1 : UINT32_MAX, memory_order_relaxed);
	pthread_mutex_unlock(&others->lock);
}

void tt_others_update(totum_comm *comm)
{
	bool under_way = !comm->progress && tt_work_moves(comm);

	if (__builtin_expect(under_way != comm->under_way, 0))
		set(comm, under_way);
}

void tt_others_forget(totum_comm *comm)
{
	if (comm->under_way)
		set(comm, false);
}

bool tt_others_wait(const totum_comm *comm)
{
	return atomic_load_explicit(&comm->others->count, memory_order_relaxed) > comm->under_way;
}

/* The next that nobody is in, now marked as busy; NULL: none.  It goes to the end of the queue. */
static totum_comm *next(struct tt_others *others)
{
	totum_comm *comm;

	pthread_mutex_lock(&others->lock);
	for (comm = others->first; comm; comm = comm->next_under_way) {
		uint32_t nobody = TT_FREE;
		/* acquire: pairs with the release in tt_comm_exit, and of another helper */
		if (atomic_compare_exchange_strong_explicit(&comm->busy, &nobody, TT_HELPED,
							    memory_order_acquire,
							    memory_order_relaxed))
			break;
	}
	if (comm) {
		take_out(others, comm);
		put_last(others, comm);
	}
	pthread_mutex_unlock(&others->lock);
	return comm;
}

bool tt_others_go(totum_comm *comm)
{
	struct tt_others *others = comm->others;
	uint32_t count = atomic_load_explicit(&others->count, memory_order_relaxed);
	bool moved = false;

	for (uint32_t i = comm->under_way; i < count; i++) {
		totum_comm *other = next(others);
		if (!other)
			break;
		uint64_t before = tt_work_mark(other);
		tt_work_go_all(other); /* a failure is that communicator's: its waits say so */
		moved |= tt_work_mark(other) != before;
		tt_others_update(other);
		atomic_store_explicit(&other->busy, TT_FREE, memory_order_release);
	}
	return moved;
}
