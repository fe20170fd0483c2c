/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * litmus - nobody sees that something is there before it is: many messages and gathers, each
 * of which proves itself, between ranks that do nothing else.  ranks: 2
 *
 * What is published, the size and the words behind it, is new in every one; a number that overtook
 * its bytes, or was torn, would show older ones.
 */
#include "ranks/buffers.h"

enum { MESSAGES = 5000000, GATHERS = 100000, WORDS = 7, SLOWER = 40 };

static inline uint64_t word(uint64_t number, int rank, size_t i)
{
	return (number << 8 | (uint64_t)rank << 4 | i) * 0x9E3779B97F4A7C15u;
}

/* One to WORDS words, so that their places in the ring change. */
static inline size_t words_of(uint64_t number)
{
	return 1 + number % WORDS;
}

static void send_all(totum_comm *comm, uint64_t messages)
{
	uint64_t words[WORDS];

	for (uint64_t number = 0; number < messages; number++) {
		for (size_t i = 0; i < words_of(number); i++)
			words[i] = word(number, 0, i);
		ok(totum_send(words, words_of(number), TOTUM_U64, 1, 0, comm));
	}
}

static void receive_all(totum_comm *comm, uint64_t messages)
{
	uint64_t words[WORDS];
	totum_message message;

	for (uint64_t number = 0; number < messages; number++) {
		ok(totum_recv(words, WORDS, TOTUM_U64, 0, 0, comm, &message));
		if (message.count != words_of(number))
			fail("message %llu has %zu words", (unsigned long long)number,
			     message.count);
		for (size_t i = 0; i < message.count; i++)
			if (words[i] != word(number, 0, i))
				fail("word %zu of message %llu is wrong", i,
				     (unsigned long long)number);
	}
}

static void gather_all(totum_comm *comm, uint64_t gathers)
{
	int rank = totum_comm_rank(comm);
	uint64_t own[WORDS], all[2 * WORDS];

	for (uint64_t number = 0; number < gathers; number++) {
		size_t words = words_of(number);

		for (size_t i = 0; i < words; i++)
			own[i] = word(number, rank, i);
		ok(totum_allgather(own, all, words, TOTUM_U64, comm));
		for (size_t i = 0; i < 2 * words; i++)
			if (all[i] != word(number, i >= words, i % words))
				fail("word %zu of gather %llu is wrong", i,
				     (unsigned long long)number);
	}
}

static void test(totum_comm *comm)
{
	uint64_t less = SLOWNESS ? SLOWER : 1;

	bool sends = step("litmus:messages");

	if (sends && totum_comm_rank(comm) == 0)
		send_all(comm, MESSAGES / less);
	else if (sends)
		receive_all(comm, MESSAGES / less);
	if (step("litmus:gathers"))
		gather_all(comm, GATHERS / less);
}
