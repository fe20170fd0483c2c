/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * swing - partners alternate between the two sides at distances 1, 1, 3, 5, 11, 21 .., the far ones
 * first.
 *
 * rho(s) = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11 ..; for s = q-1 down to 0 even ranks r talk to
 * r+rho(s), odd ones to r-rho(s).  All even ranks have the same offsets from themselves, and the
 * odd ones the mirrored offsets: one set describes everybody.  A rank sends what its partner lacks,
 * which is all it has when N is a power of two.
 *
 *   0 --[0]--> 3     0 --[0 3]--> 7     0 --[0 3 4 7]--> 1      N = 8; 3, 7 and 1 send as much back
 *
 * T = q alpha + (N-1) M/(N beta), q = ceil(log2 N), 1 port, even N.  With odd N the others run it
 * among themselves, and the last rank swaps blocks with each of them in one more round with N-1
 * ports. On rings and tori a message crosses fewer links than in recursive doubling.
 * De Sensi, Bonato, Saam, Hoefler, "Swing: short-cutting rings for higher bandwidth allreduce",
 * 2024.
 */
#include <stdlib.h>

#include "algorithms/claims.h"
#include "algorithms/moves.h"

static int64_t modulo(int64_t a, int64_t n)
{
	return (a % n + n) % n;
}

/* Everybody's moves of a round: the offsets with mark 1 go to the partner; room for n blocks. */
static void send(struct tt_schedule *schedule, int64_t round, int64_t rho, int64_t n,
		 const char *marks, int64_t *room)
{
	for (int64_t rank = 0; rank < n; rank++) {
		int64_t side = rank % 2 ? -1 : 1, count = 0;

		for (int64_t offset = 0; offset < n; offset++)
			if (marks[offset] == 1)
				room[count++] = modulo(rank + side * offset, n);
		tt_move_blocks(schedule, round, rank, modulo(rank + side * rho, n), room, count, 0,
			       1);
	}
}

/* marks: 0 missing, 1 to be sent, 2 held and not to be sent. */
static void swing(struct tt_schedule *schedule, int64_t n, char *marks, int64_t *room)
{
	int64_t q = tt_log_ceil(2, n);

	marks[0] = 2;
	for (int64_t s = q - 1; s >= 0; s--) {
		int64_t power = (int64_t)2 << s;
		int64_t rho = (1 - (s % 2 ? power : -power)) / 3;

		for (int64_t offset = 0; offset < n; offset++)
			if (marks[offset] && !marks[modulo(rho - offset, n)])
				marks[offset] = 1;
		send(schedule, q - 1 - s, rho, n, marks, room);
		for (int64_t offset = 0; offset < n; offset++)
			if (marks[offset] == 1) {
				marks[offset] = 2;
				marks[modulo(rho - offset, n)] = 2;
			}
	}
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, even = n - n % 2, last = n - 1;
	char *marks = calloc((size_t)n, 1);
	int64_t *room = malloc((size_t)n * sizeof *room);

	if (!marks || !room)
		schedule->failed = TOTUM_EMEMORY;
	else if (n > 1)
		swing(schedule, even, marks, room);
	free(marks);
	free(room);
	for (int64_t rank = 0; rank < last && n % 2; rank++) {
		tt_move(schedule, tt_rounds_log2(even, values), rank, last, rank, 1);
		tt_move(schedule, tt_rounds_log2(even, values), last, rank, last, 1);
	}
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_too_many_records(nranks * nranks / 2);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	if (nranks == 1)
		return 0;
	return tt_rounds_log2(nranks - nranks % 2, values) + nranks % 2;
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	return nranks % 2 ? nranks - 1 : tt_ports_one(nranks, values);
}

const struct tt_algorithm tt_allgather_swing = {
	.summary = "partners on alternating sides, far ones first, for rings and tori",
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = ports,
};
