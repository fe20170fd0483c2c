/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group_reduce - all-reduces in a group give the bits that each gives alone, whatever lies beside.
 *
 * ranks: 1 2 3 5
 *
 * Lengths that are no multiple of an element of the next one, vectors longer than a stage, other
 * dtypes and ops, in place and not, an all-gather between: all that could move an element to
 * another place in the stream.
 */
#include "ranks/buffers.h"

enum { MEMBERS = 12, MOST = 70000 };

struct member {
	size_t count;
	totum_dtype dtype;
	totum_op op;
	bool in_place;
	unsigned char *send, *alone, *together;
};

static const struct {
	size_t count;
	totum_dtype dtype;
	totum_op op;
	bool in_place;
} members[MEMBERS] = {
	{3, TOTUM_U8, TOTUM_SUM, false},   {5, TOTUM_F32, TOTUM_SUM, false},
	{1, TOTUM_F64, TOTUM_MAX, true},   {7, TOTUM_F16, TOTUM_AVG, false},
	{0, TOTUM_I32, TOTUM_SUM, false},  {MOST, TOTUM_F32, TOTUM_SUM, false},
	{1, TOTUM_I8, TOTUM_MIN, false},   {MOST, TOTUM_BF16, TOTUM_SUM, true},
	{9, TOTUM_I64, TOTUM_PROD, false}, {511, TOTUM_U16, TOTUM_BXOR, false},
	{2, TOTUM_BOOL, TOTUM_LOR, false}, {300, TOTUM_F32, TOTUM_AVG, true},
};

/* Any bits, but no wild exponents in floats, whose sums would all be infinite. */
static void fill_member(struct member *member, int rank, uint64_t salt)
{
	size_t bytes = member->count * totum_dtype_size(member->dtype);

	for (size_t i = 0; i < bytes; i++)
		member->send[i] =
			(unsigned char)((((size_t)rank * 131 + i * 7 + salt) % 61) |
					(member->dtype == TOTUM_F32 && i % 4 == 3 ? 0x30 : 0));
	memcpy(member->together, member->send, bytes);
	memcpy(member->alone, member->send, bytes);
}

static void one_group(totum_comm *comm, uint64_t salt)
{
	struct member all[MEMBERS];
	totum_request *requests[MEMBERS + 1];
	int rank = totum_comm_rank(comm), gathered[HARNESS_RANKS];

	for (int i = 0; i < MEMBERS; i++) {
		size_t room = members[i].count * totum_dtype_size(members[i].dtype) + 1;
		all[i] = (struct member){members[i].count, members[i].dtype, members[i].op,
					 members[i].in_place, malloc(room), malloc(room),
					 malloc(room)};
		fill_member(&all[i], rank, salt + (uint64_t)i);
		ok(totum_allreduce(all[i].send, all[i].alone, all[i].count, all[i].dtype, all[i].op,
				   comm));
	}
	ok(totum_group_begin(comm));
	for (int i = 0; i < MEMBERS; i++) {
		if (i == 9)
			ok(totum_iallgather(&rank, gathered, 1, TOTUM_I32, comm,
					    &requests[MEMBERS]));
		ok(totum_iallreduce(all[i].in_place ? TOTUM_IN_PLACE : all[i].send, all[i].together,
				    all[i].count, all[i].dtype, all[i].op, comm, &requests[i]));
	}
	ok(totum_group_end(comm));
	for (int i = 0; i <= MEMBERS; i++)
		ok(totum_wait(requests[i]));
	for (int r = 0; r < totum_comm_nranks(comm); r++)
		if (gathered[r] != r)
			fail("block %d of the all-gather is %d", r, gathered[r]);
	for (int i = 0; i < MEMBERS; i++) {
		if (memcmp(all[i].alone, all[i].together,
			   all[i].count * totum_dtype_size(all[i].dtype)))
			fail("member %d (%zu x %s) differs from the call alone", i, all[i].count,
			     totum_dtype_name(all[i].dtype));
		free(all[i].send);
		free(all[i].alone);
		free(all[i].together);
	}
}

static void test(totum_comm *comm)
{
	step("group_reduce:n=%d", totum_comm_nranks(comm));
	for (uint64_t salt = 0; salt < 8; salt++)
		one_group(comm, salt);
}
