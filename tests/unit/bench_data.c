/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The benchmark's checker: what the ranks send, carried to where it belongs by a copy loop, passes;
 * every byte that is changed is found, on the first page and beyond 4 GiB; and nothing of a
 * poisoned output passes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../cli/bench_data.c"
#include "../../cli/bench_formula.c"

enum { NRANKS = 3, COUNT = 1031, LARGEST = NRANKS * COUNT * 16 };

struct job {
	struct bench_data ranks[NRANKS];
	unsigned char send[NRANKS][LARGEST], recv[NRANKS][LARGEST];
	size_t element;
};

static struct job *open_job(const char *collective, totum_dtype dtype, totum_op op, int root)
{
	struct job *job = calloc(1, sizeof *job);

	assert_non_null(job);
	job->element = totum_dtype_size(dtype);
	for (int rank = 0; rank < NRANKS; rank++) {
		job->ranks[rank] = (struct bench_data){.formula = bench_formula_find(collective),
						       .dtype = dtype,
						       .op = op,
						       .rank = rank,
						       .nranks = NRANKS,
						       .root = root,
						       .salt = 5};
		bench_data_open(&job->ranks[rank]);
		bench_fill(&job->ranks[rank], job->send[rank], COUNT);
	}
	return job;
}

/* What the collective is, in copies of shards. */
static void move(struct job *job, const char *collective, int root)
{
	size_t shard = COUNT * job->element;

	for (int to = 0; to < NRANKS; to++)
		for (int from = 0; from < NRANKS; from++) {
			size_t slot = (size_t)from * shard, part = (size_t)to * shard;

			if (!strcmp(collective, "allgather") ||
			    (!strcmp(collective, "gather") && to == root))
				memcpy(job->recv[to] + slot, job->send[from], shard);
			else if (!strcmp(collective, "alltoall"))
				memcpy(job->recv[to] + slot, job->send[from] + part, shard);
			else if (!strcmp(collective, "scatter") && from == root)
				memcpy(job->recv[to], job->send[from] + part, shard);
			else if (!strcmp(collective, "broadcast") && from == root)
				memcpy(job->recv[to], job->send[from], shard);
		}
}

static uint64_t wrong(const struct job *job, int rank)
{
	return bench_wrong(&job->ranks[rank], job->recv[rank], COUNT);
}

/* Any change of any byte is one wrong element, and poison leaves none right. */
static void corrupt(struct job *job)
{
	for (int rank = 0; rank < NRANKS; rank++) {
		size_t elements = bench_receives(&job->ranks[rank], COUNT);

		assert_int_equal(wrong(job, rank), 0);
		for (size_t at = 0; at < elements * job->element; at += 1 + at % 7) {
			job->recv[rank][at] ^= (unsigned char)(1 << at % 8);
			assert_int_equal(wrong(job, rank), 1);
			job->recv[rank][at] ^= (unsigned char)(1 << at % 8);
		}
		bench_poison(&job->ranks[rank], job->recv[rank], COUNT);
		assert_int_equal(wrong(job, rank), elements);
		if (elements)
			assert_true(job->recv[rank][elements * job->element] == 0);
	}
}

static void moved(void **state)
{
	static const char *const collectives[] = {"allgather", "gather", "alltoall", "scatter",
						  "broadcast"};
	static const totum_dtype dtypes[] = {TOTUM_U8, TOTUM_I16, TOTUM_F32, TOTUM_F64};

	(void)state;
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
			struct job *job = open_job(collectives[i], dtypes[d], TOTUM_SUM, 1);

			print_message("%s %s\n", collectives[i], totum_dtype_name(dtypes[d]));
			move(job, collectives[i], 1);
			corrupt(job);
			free(job);
		}
}

/* Sums of i32, bit by bit what a loop gives. */
static void reduced(void **state)
{
	static const char *const collectives[] = {"allreduce", "reduce_scatter", "reduce"};

	(void)state;
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
		struct job *job = open_job(collectives[i], TOTUM_I32, TOTUM_SUM, 2);
		bool scatters = i == 1;

		print_message("%s\n", collectives[i]);
		for (size_t at = 0; at < (scatters ? NRANKS : 1) * COUNT; at++) {
			size_t to = scatters ? at / COUNT : 0, slot = scatters ? at % COUNT : at;
			int32_t sum = 0, one;

			for (int from = 0; from < NRANKS; from++) {
				memcpy(&one, job->send[from] + 4 * at, 4);
				sum += one;
			}
			for (size_t rank = to; rank < (scatters ? to + 1 : NRANKS); rank++)
				if (i != 2 || rank == 2)
					memcpy(job->recv[rank] + 4 * slot, &sum, 4);
		}
		corrupt(job);
		free(job);
	}
}

/* What a rank sent, what another has, and what an earlier call left do not pass for each other. */
static void tells_apart(void **state)
{
	struct job *job = open_job("allgather", TOTUM_F32, TOTUM_SUM, 0);
	size_t shard = COUNT * 4;

	(void)state;
	move(job, "allgather", 0);
	memcpy(job->recv[0], job->send[1], shard);
	assert_int_equal(wrong(job, 0), COUNT);
	memcpy(job->recv[1] + 4, job->send[0], shard - 4); /* shifted by one */
	assert_int_equal(wrong(job, 1), COUNT - 1);
	job->ranks[2].salt++;
	assert_int_equal(wrong(job, 2), NRANKS * COUNT);
	assert_int_equal(bench_changed(&job->ranks[1], job->send[1], COUNT), 0);
	job->send[1][shard - 1] ^= 0x80;
	assert_int_equal(bench_changed(&job->ranks[1], job->send[1], COUNT), 1);
	free(job);
}

/* The index arithmetic alone: places that 32 bits would take for the same. */
static void beyond_4_gib(void **state)
{
	static const uint64_t places[] = {
		0, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 33, UINT64_C(1) << 35,
		(UINT64_C(1) << 32) + 4096};
	enum { PLACES = sizeof places / sizeof *places, PART = 256 };
	static const char *const collectives[] = {"allgather", "allreduce", "alltoall",
						  "reduce_scatter"};
	const size_t count = (size_t)1 << 36;

	(void)state;
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
		struct job *job = open_job(collectives[i], TOTUM_F64, TOTUM_SUM, 0);
		unsigned char parts[2 * PLACES][PART];

		for (size_t p = 0; p < 2 * PLACES; p++)
			bench_bytes(&job->ranks[0], BENCH_SEND, count, (int)(p / PLACES),
				    places[p % PLACES], parts[p], PART);
		for (size_t a = 0; a < 2 * PLACES; a++)
			for (size_t b = 0; b < a; b++) {
				if (!memcmp(parts[a], parts[b], PART))
					fail_msg("%s: parts %zu and %zu are alike", collectives[i],
						 a, b);
			}
		free(job);
	}
}

/* A shard that ends in the middle of a word leaves what follows alone. */
static void ends_exactly(void **state)
{
	struct job *job = open_job("allgather", TOTUM_U8, TOTUM_SUM, 0);

	(void)state;
	for (size_t count = 0; count < 20; count++) {
		unsigned char buffer[64];

		memset(buffer, 0x5A, sizeof buffer);
		bench_fill(&job->ranks[2], buffer, count);
		for (size_t at = count; at < sizeof buffer; at++)
			assert_int_equal(buffer[at], 0x5A);
		memset(buffer, 0x5A, sizeof buffer);
		bench_poison(&job->ranks[2], buffer, count);
		for (size_t at = NRANKS * count; at < sizeof buffer; at++)
			assert_int_equal(buffer[at], 0x5A);
		memset(buffer, 0x5A, sizeof buffer);
		bench_bytes(&job->ranks[2], BENCH_SEND, COUNT, 0, 16, buffer, count);
		for (size_t at = count; at < sizeof buffer; at++)
			assert_int_equal(buffer[at], 0x5A);
	}
	free(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved),        cmocka_unit_test(reduced),
		cmocka_unit_test(tells_apart),  cmocka_unit_test(beyond_4_gib),
		cmocka_unit_test(ends_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
