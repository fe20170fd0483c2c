/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlap - buffers that overlap without being in place, blocks that overlap each other, and the
 * sentinel where it means nothing: refused on every rank, whichever it is, and nothing is written.
 *
 * ranks: 1 2 3
 */
#include "ranks/buffers.h"

enum { COUNT = 16, ROOM = 4096 };

/* `whole` has ROOM bytes before it and after it; blocks are COUNT bytes. */
struct setting {
	totum_comm *comm;
	int rank, nranks;
	unsigned char *whole;
	size_t even[HARNESS_RANKS], apart[HARNESS_RANKS], lapping[HARNESS_RANKS];
};

typedef totum_status wrong_call(const struct setting *s);

/* --- half a block into the other buffer, from behind or from before -------------------------- */

static totum_status allgather(const struct setting *s)
{
	return totum_allgather(s->whole + COUNT * s->rank + COUNT / 2, s->whole, COUNT, TOTUM_U8,
			       s->comm);
}

static totum_status allgatherv(const struct setting *s)
{
	return totum_allgatherv(s->whole + s->apart[s->rank] - COUNT / 2, COUNT, s->whole, s->even,
				s->apart, TOTUM_U8, s->comm);
}

static totum_status reduce_scatter(const struct setting *s)
{
	return totum_reduce_scatter(s->whole, s->whole + COUNT * s->rank + COUNT / 2, COUNT,
				    TOTUM_U8, TOTUM_SUM, s->comm);
}

static totum_status reduce_scatterv(const struct setting *s)
{
	return totum_reduce_scatterv(s->whole, s->whole + COUNT * s->nranks - 1, s->even, TOTUM_U8,
				     TOTUM_SUM, s->comm);
}

static totum_status allreduce(const struct setting *s)
{
	return totum_allreduce(s->whole, s->whole + COUNT / 2, COUNT, TOTUM_U8, TOTUM_SUM, s->comm);
}

static totum_status reduce(const struct setting *s)
{
	return totum_reduce(s->whole + COUNT / 2, s->whole, COUNT, TOTUM_U8, TOTUM_SUM, s->rank,
			    s->comm);
}

static totum_status broadcast(const struct setting *s)
{
	return totum_broadcast(s->whole + COUNT / 2, s->whole, COUNT, TOTUM_U8, s->rank, s->comm);
}

static totum_status gather(const struct setting *s)
{
	return totum_gather(s->whole + COUNT * s->rank - COUNT / 2, s->whole, COUNT, TOTUM_U8,
			    s->rank, s->comm);
}

static totum_status gatherv(const struct setting *s)
{
	return totum_gatherv(s->whole + s->apart[s->rank] + 1, COUNT, s->whole, s->even, s->apart,
			     TOTUM_U8, s->rank, s->comm);
}

static totum_status scatter(const struct setting *s)
{
	return totum_scatter(s->whole, s->whole + COUNT * s->rank + COUNT / 2, COUNT, TOTUM_U8,
			     s->rank, s->comm);
}

static totum_status scatterv(const struct setting *s)
{
	return totum_scatterv(s->whole, s->even, s->apart, s->whole + s->apart[s->rank] - COUNT / 2,
			      COUNT, TOTUM_U8, s->rank, s->comm);
}

static totum_status alltoall(const struct setting *s)
{
	return totum_alltoall(s->whole, s->whole + COUNT / 2, COUNT, TOTUM_U8, s->comm);
}

static totum_status alltoallv(const struct setting *s)
{
	return totum_alltoallv(s->whole, s->even, NULL, s->whole + COUNT * s->nranks - 1, s->even,
			       NULL, TOTUM_U8, s->comm);
}

static totum_status alltoallv_same(const struct setting *s)
{
	return totum_alltoallv(s->whole, s->even, NULL, s->whole, s->even, NULL, TOTUM_U8, s->comm);
}

/* --- blocks on each other: of two ranks at least --------------------------------------------- */

static totum_status allgatherv_blocks(const struct setting *s)
{
	return totum_allgatherv(s->whole - COUNT, COUNT, s->whole, s->even, s->lapping, TOTUM_U8,
				s->comm);
}

static totum_status gatherv_blocks(const struct setting *s)
{
	return totum_gatherv(s->whole - COUNT, COUNT, s->whole, s->even, s->lapping, TOTUM_U8,
			     s->rank, s->comm);
}

static totum_status alltoallv_blocks(const struct setting *s)
{
	return totum_alltoallv(s->whole - COUNT * s->nranks, s->even, NULL, s->whole, s->even,
			       s->lapping, TOTUM_U8, s->comm);
}

/* --- the sentinel where there is no place ---------------------------------------------------- */

static void *sentinel(void)
{
	static const void *volatile hidden = TOTUM_IN_PLACE;

	return (void *)(uintptr_t)hidden;
}

static totum_status allgather_recv(const struct setting *s)
{
	return totum_allgather(s->whole, sentinel(), COUNT, TOTUM_U8, s->comm);
}

static totum_status both_in_place(const struct setting *s)
{
	return totum_allreduce(TOTUM_IN_PLACE, sentinel(), COUNT, TOTUM_U8, TOTUM_SUM, s->comm);
}

static totum_status reduce_scatter_recv(const struct setting *s)
{
	return totum_reduce_scatter(s->whole, sentinel(), COUNT, TOTUM_U8, TOTUM_SUM, s->comm);
}

static totum_status scatter_send(const struct setting *s)
{
	return totum_scatter(TOTUM_IN_PLACE, s->whole, COUNT, TOTUM_U8, s->rank, s->comm);
}

static totum_status scatter_both(const struct setting *s)
{
	return totum_scatter(TOTUM_IN_PLACE, sentinel(), COUNT, TOTUM_U8, s->rank, s->comm);
}

static totum_status alltoallv_send(const struct setting *s)
{
	return totum_alltoallv(TOTUM_IN_PLACE, s->even, NULL, s->whole, s->even, NULL, TOTUM_U8,
			       s->comm);
}

static totum_status message(const struct setting *s)
{
	return totum_send(TOTUM_IN_PLACE, COUNT, TOTUM_U8, s->rank, 1, s->comm);
}

/* On a rank that is not the root: with one rank there is none. */
static totum_status gather_elsewhere(const struct setting *s)
{
	return totum_gather(TOTUM_IN_PLACE, s->whole, COUNT, TOTUM_U8, (s->rank + 1) % s->nranks,
			    s->comm);
}

static totum_status reduce_elsewhere(const struct setting *s)
{
	return totum_reduce(TOTUM_IN_PLACE, s->whole, COUNT, TOTUM_U8, TOTUM_SUM,
			    (s->rank + 1) % s->nranks, s->comm);
}

static totum_status scatter_elsewhere(const struct setting *s)
{
	return totum_scatter(s->whole, sentinel(), COUNT, TOTUM_U8, (s->rank + 1) % s->nranks,
			     s->comm);
}

#define CALL(name) #name, name

static const struct {
	const char *name;
	wrong_call *call;
	int least; /* ranks */
} wrong_calls[] = {
	{CALL(allgather), 1},         {CALL(allgatherv), 1},
	{CALL(reduce_scatter), 1},    {CALL(reduce_scatterv), 1},
	{CALL(allreduce), 1},         {CALL(reduce), 1},
	{CALL(broadcast), 1},         {CALL(gather), 1},
	{CALL(gatherv), 1},           {CALL(scatter), 1},
	{CALL(scatterv), 1},          {CALL(alltoall), 1},
	{CALL(alltoallv), 1},         {CALL(alltoallv_same), 1},
	{CALL(allgatherv_blocks), 2}, {CALL(gatherv_blocks), 2},
	{CALL(alltoallv_blocks), 2},  {CALL(allgather_recv), 1},
	{CALL(both_in_place), 1},     {CALL(reduce_scatter_recv), 1},
	{CALL(scatter_send), 1},      {CALL(scatter_both), 1},
	{CALL(alltoallv_send), 1},    {CALL(message), 1},
	{CALL(gather_elsewhere), 2},  {CALL(reduce_elsewhere), 2},
	{CALL(scatter_elsewhere), 2},
};

static void test(totum_comm *comm)
{
	struct setting s = {.comm = comm};
	struct buffer room = buffer_new(3 * ROOM, 0);

	s.rank = totum_comm_rank(comm);
	s.nranks = totum_comm_nranks(comm);
	s.whole = room.data + ROOM;
	for (int r = 0; r < s.nranks; r++) {
		s.even[r] = COUNT;
		s.apart[r] = (size_t)r * (COUNT + 5);
		s.lapping[r] = (size_t)r * (COUNT - 1);
	}
	for (size_t i = 0; i < sizeof wrong_calls / sizeof *wrong_calls; i++) {
		step("overlap:n=%d:%s", s.nranks, wrong_calls[i].name);
		if (s.nranks < wrong_calls[i].least)
			continue;
		refused(wrong_calls[i].call(&s), TOTUM_EINVAL);
		check_poison(room.data, room.bytes, "a buffer of a refused call");
		still_works(s.comm);
	}
	buffer_free(&room, "room");
}
