/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bits - sums of reals, whose bits depend on the order of the additions, are the same on all ranks
 * and again in each repetition, by every algorithm; the direct way gives an element the same bits
 * whatever it is a part of.  ranks: 2 3 5 8
 */
#include "ranks/chosen.h"

enum { ELEMENTS = 3001, LARGE = 200003, REPEATS = 2 };

static const totum_dtype dtypes[] = {TOTUM_F16, TOTUM_BF16, TOTUM_F32, TOTUM_F64};
static const totum_op ops[] = {TOTUM_SUM, TOTUM_PROD, TOTUM_AVG};

/* Inputs that tell orders apart: element `at` of rank's vector, the same in each vector. */
static void inputs(void *to, size_t at, size_t count, int rank, totum_dtype dtype, totum_op op)
{
	fill_inputs(to, at, count, rank, 99, dtype, op, false);
}

static uint64_t hash_of(const unsigned char *bytes, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 0x100000001B3u;
	return hash;
}

/* All ranks must have the same hash. */
static void check_alike(totum_comm *comm, uint64_t hash)
{
	uint64_t all[HARNESS_RANKS];

	ok(totum_allgather(&hash, all, 1, TOTUM_U64, comm));
	for (int r = 0; r < totum_comm_nranks(comm); r++)
		if (all[r] != all[0])
			fail("the bits of rank %d are not those of rank 0", r);
}

/* False: this algorithm cannot do it. */
static bool alike(totum_comm *comm, const char *algorithm, size_t count, totum_dtype dtype,
		  totum_op op)
{
	size_t bytes = count * totum_dtype_size(dtype);
	unsigned char *send = malloc(bytes), *recv = malloc(bytes);
	uint64_t first = 0;
	bool done = true;

	if (!send || !recv)
		fail("no memory");
	step("bits:n=%d:algo=%s:count=%zu:dtype=%s:op=%s", totum_comm_nranks(comm), algorithm,
	     count, totum_dtype_name(dtype), totum_op_name(op));
	inputs(send, 0, count, totum_comm_rank(comm), dtype, op);
	for (int i = 0; i < REPEATS && done; i++) {
		memset(recv, POISON, bytes);
		totum_status status = totum_allreduce(send, recv, count, dtype, op, comm);

		done = status != TOTUM_EUNSUPPORTED;
		if (!done)
			break;
		ok(status);
		uint64_t hash = hash_of(recv, bytes);

		check_alike(comm, hash);
		if (i && hash != first)
			fail("other bits in another repetition");
		first = hash;
	}
	free(send);
	free(recv);
	return done;
}

static void by_every_algorithm(totum_comm *comm)
{
	char name[ALGORITHM_TEXT], setting[ALGORITHM_TEXT + 8];

	for (int i = 0; algorithm_name("allreduce", totum_comm_nranks(comm), i, name); i++) {
		snprintf(setting, sizeof setting, "algo=%s", name);
		ok(totum_comm_configure(comm, setting));
		for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
			for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
				if (!alike(comm, name, ELEMENTS, dtypes[d], ops[o]))
					break;
	}
	ok(totum_comm_configure(comm, "algo=auto"));
}

/* A piece by itself, wherever it lies and in whichever collective, has the bits of the whole. */
static void check_pieces(totum_comm *comm, const unsigned char *whole, totum_dtype dtype,
			 totum_op op)
{
	static const size_t counts[] = {1, 7, 255, 256, 1000, 20000, 70000};
	size_t size = totum_dtype_size(dtype), n = (size_t)totum_comm_nranks(comm);
	int rank = totum_comm_rank(comm);
	unsigned char *send = malloc(LARGE * size), *recv = malloc(LARGE * size);

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		size_t at = mix(i + (size_t)dtype) % (LARGE - counts[i]), block = counts[i] / n;

		step("bits:n=%d:count=%zu:at=%zu:dtype=%s:op=%s", (int)n, counts[i], at,
		     totum_dtype_name(dtype), totum_op_name(op));
		inputs(send, at, counts[i], rank, dtype, op);
		ok(totum_allreduce(send, recv, counts[i], dtype, op, comm));
		if (memcmp(recv, whole + at * size, counts[i] * size) != 0)
			fail("an all-reduce of a piece has other bits");
		ok(totum_reduce_scatter(send, recv, block, dtype, op, comm));
		if (memcmp(recv, whole + (at + block * (size_t)rank) * size, block * size) != 0)
			fail("a reduce-scatter of a piece has other bits");
		ok(totum_reduce(send, recv, counts[i], dtype, op, (int)(i % n), comm));
		if (rank == (int)(i % n) && memcmp(recv, whole + at * size, counts[i] * size) != 0)
			fail("a reduce of a piece has other bits");
	}
	free(send);
	free(recv);
}

static void parts_of_a_whole(totum_comm *comm, totum_dtype dtype, totum_op op)
{
	size_t size = totum_dtype_size(dtype);
	unsigned char *send = malloc(LARGE * size), *whole = malloc(LARGE * size);

	inputs(send, 0, LARGE, totum_comm_rank(comm), dtype, op);
	ok(totum_allreduce(send, whole, LARGE, dtype, op, comm));
	check_alike(comm, hash_of(whole, LARGE * size));
	check_pieces(comm, whole, dtype, op);
	free(send);
	free(whole);
}

/* 1 and many times 2^-11 in f16, where each alone is half a unit of 1 and would be lost. */
static void small_ones(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), n = totum_comm_nranks(comm);
	uint16_t mine = rank ? 0x1000 : 0x3C00, most = 0x7BFF, got = 0;
	float sum = 1 + (float)(n - 1) * 0x1p-11f;

	step("bits:n=%d:small ones", n);
	ok(totum_allreduce(&mine, &got, 1, TOTUM_F16, TOTUM_SUM, comm));
	if (got != f16_from_float(sum))
		fail("the sum is 0x%04X instead of 0x%04X", got, f16_from_float(sum));
	ok(totum_allreduce(&most, &got, 1, TOTUM_F16, TOTUM_SUM, comm));
	if (got != 0x7C00)
		fail("65504 many times is 0x%04X, not infinite", got);
}

static void test(totum_comm *comm)
{
	by_every_algorithm(comm);
	for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
		parts_of_a_whole(comm, dtypes[d], ops[d % 3]);
	small_ones(comm);
}
