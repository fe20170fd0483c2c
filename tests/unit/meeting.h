/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meeting.h - ranks that meet, as threads of a test: each opens an exchange, gathers some rounds
 * and closes it.
 */
#ifndef MEETING_H
#define MEETING_H

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "launch/exchange.h"

enum { MOST_RANKS = 64 };

static const char secret[] = "known to the ranks of this test";

struct rank {
	struct tt_identity identity;
	struct tt_settings settings;
	const totum_unique_id *id;       /* NULL: it meets at the root */
	const struct totum_store *store; /* NULL: the same */
	int rounds, late_ms;
	size_t bytes;
	int leaves_at; /* the round in which it closes instead, -1: none */
	int sleeps_at; /* the round before which it sleeps for longer than the deadline */
	totum_status status;
	char sentence[512];
	pthread_t thread;
};

static inline void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static inline unsigned char byte_of(int rank, int round, size_t i)
{
	return (unsigned char)((size_t)rank * 131 + (size_t)round * 17 + i * 7 + (i >> 8) + 1);
}

static inline totum_status gather(struct tt_exchange *exchange, const struct rank *rank, int round)
{
	size_t n = (size_t)rank->identity.nranks;
	unsigned char *mine = malloc(rank->bytes + 1), *all = calloc(n, rank->bytes + 1);

	for (size_t i = 0; i < rank->bytes; i++)
		mine[i] = byte_of(rank->identity.rank, round, i);
	totum_status status = exchange->allgather(exchange, mine, rank->bytes, all);
	for (size_t r = 0; r < n && !status; r++)
		for (size_t i = 0; i < rank->bytes && !status; i++)
			if (all[r * rank->bytes + i] != byte_of((int)r, round, i))
				status = tt_fail(TOTUM_ESYSTEM, "wrong byte %zu of rank %zu", i, r);
	free(mine);
	free(all);
	return status;
}

static inline void *be_a_rank(void *context)
{
	struct rank *rank = context;
	struct tt_exchange *exchange;

	sleep_ms(rank->late_ms);
	if (rank->id)
		rank->status =
			tt_exchange_id(&rank->identity, &rank->settings, rank->id, &exchange);
	else if (rank->store)
		rank->status =
			tt_exchange_store(&rank->identity, &rank->settings, rank->store, &exchange);
	else
		rank->status = tt_exchange_open(&rank->identity, &rank->settings, &exchange);
	bool open = !rank->status;
	for (int round = 0; round < rank->rounds && !rank->status; round++) {
		if (round == rank->leaves_at)
			break;
		if (round == rank->sleeps_at)
			sleep_ms((int)(rank->settings.timeout * 1000) + 1500);
		rank->status = gather(exchange, rank, round);
	}
	snprintf(rank->sentence, sizeof rank->sentence, "%s", totum_errmsg());
	if (open)
		exchange->close(exchange);
	return NULL;
}

static inline void make_ranks(struct rank *ranks, int n, const char *root)
{
	for (int rank = 0; rank < n; rank++) {
		ranks[rank] =
			(struct rank){.identity = {.family = "test", .rank = rank, .nranks = n},
				      .settings = {.timeout = 20, .streams = 1},
				      .rounds = 3,
				      .bytes = 408,
				      .leaves_at = -1,
				      .sleeps_at = -1};
		snprintf(ranks[rank].identity.root, TT_ROOT, "%s", root);
		strcpy(ranks[rank].identity.secret, secret);
	}
}

static inline void begin_rank(struct rank *rank)
{
	assert_int_equal(pthread_create(&rank->thread, NULL, be_a_rank, rank), 0);
}

static inline void meet(struct rank *ranks, int n)
{
	for (int rank = 0; rank < n; rank++)
		begin_rank(&ranks[rank]);
	for (int rank = 0; rank < n; rank++)
		pthread_join(ranks[rank].thread, NULL);
}

/* All of them ended so, and said so. */
static inline void all_say(const struct rank *ranks, int n, totum_status status, const char *words)
{
	for (int rank = 0; rank < n; rank++) {
		if (ranks[rank].status != status || (words && !strstr(ranks[rank].sentence, words)))
			fail_msg("rank %d of %d: %s instead of %s \"%s\": %s",
				 ranks[rank].identity.rank, n, totum_strerror(ranks[rank].status),
				 totum_strerror(status), words ? words : "", ranks[rank].sentence);
	}
}

static inline void all_well(const struct rank *ranks, int n)
{
	all_say(ranks, n, TOTUM_OK, NULL);
}

#endif
