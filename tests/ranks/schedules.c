/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * schedules - every schedule runs: each algorithm of each collective, on real bytes, equal and
 * uneven shards, while ranks come late at random.  ranks: 1 2 3 4 5 6 7 8 9 11 13 16 17 24
 */
#include "ranks/algorithms.h"
#include "ranks/anycall.h"

enum { CALLS = 3, SMALL = 60, LATE_US = 300 };

static const char *const collectives[KINDS] = {
	"allgather", "allgather", "reduce_scatter", NULL, "allreduce", "reduce", "broadcast",
	"gather", NULL, "scatter", NULL, "alltoall", NULL};

/* The collective's own algorithm must be the one that ran; from others one may be derived. */
static void run_algorithm(totum_comm *comm, enum kind kind, const char *algorithm, bool own_folder,
			  uint64_t *random, uint64_t *own)
{
	char setting[ALGORITHM_TEXT + 8];
	struct call call;

	snprintf(setting, sizeof setting, "algo=%s", algorithm);
	/* refused: out of range for so few ranks, alike everywhere */
	if (totum_comm_configure(comm, setting))
		return;
	for (int i = 0; i < CALLS; i++) {
		call_new(&call, kind, random, comm);
		if (totum_comm_nranks(comm) > 9 && call.count > SMALL) {
			call_drop(&call);
			continue;
		}
		if (below(own, 4) == 0)
			nap_us((long)below(own, LATE_US));
		if (!now_unless_refused(&call, comm)) {
			call_drop(&call);
			return;
		}
		if (own_folder && strcmp(totum_comm_algorithm(comm), algorithm))
			fail("%s ran instead", totum_comm_algorithm(comm));
		call_end(&call);
	}
}

static void run_collective(totum_comm *comm, enum kind kind, const totum_algorithm *algorithm,
			   uint64_t *own)
{
	int n = totum_comm_nranks(comm);
	char text[ALGORITHM_TEXT];

	for (int variant = 0;; variant++) {
		int i = variant;
		if (!algorithm_variant(algorithm, n, &i, text))
			return;
		bool wanted = algorithm_is_plain(text) || n <= 4;
		if (!wanted || !step("%s by %s", collectives[kind], text))
			continue;
		uint64_t random = seed() ^ hash_text(text) ^ (uint64_t)kind;
		run_algorithm(comm, kind, text, !strcmp(algorithm->collective, collectives[kind]),
			      &random, own);
	}
}

static void test(totum_comm *comm)
{
	uint64_t own = mix(seed() + (uint64_t)totum_comm_rank(comm));
	totum_algorithm algorithm;

	for (int at = 0; totum_algorithm_at(at, &algorithm); at++)
		for (int kind = 0; kind < KINDS; kind++)
			if (collectives[kind])
				run_collective(comm, (enum kind)kind, &algorithm, &own);
}
