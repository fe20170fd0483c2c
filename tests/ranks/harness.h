/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harness.h - what every program of several ranks starts with: its ranks, its deadline, its way to
 * fail.
 *
 * The program defines test(), which each rank runs on the communicator of all.  Ranks are
 *   processes     under `totum run`, mpirun or torchrun, or by explicit arguments:
 *                 PROGRAM --create RANK NRANKS ROOT
 *   threads       of one process: PROGRAM --threads N
 * Every case announces itself by step().  A failure prints the rank and the case and ends the
 * process, and the launcher ends the others; at the deadline the case of each rank is printed.  In
 * the environment, PROBLEM=CASE runs that case alone and SEED=NUMBER replaces the default seed.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <totum.h>

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Run by every rank; comm stays the harness's. */
static void test(totum_comm *comm);

enum { HARNESS_RANKS = 64, HARNESS_TEXT = 256, HARNESS_DEADLINE_S = 240, HARNESS_SKIPPED = 77 };

/* How much slower than the optimised one this build is. */
#if defined(__SANITIZE_THREAD__)
enum { SLOWNESS = 2 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SLOWNESS = 1 };
#else
enum { SLOWNESS = 0 };
#endif

/*
 * Returns free memory to the system.  A sanitizer has an allocator of its own, and the C library's
 * was never set up.
 */
static inline void give_memory_back(void)
{
	if (!SLOWNESS)
		malloc_trim(0);
}

struct harness_rank {
	totum_comm *comm;
	char at[HARNESS_TEXT + 32]; /* "rank 3: CASE" */
	char step[HARNESS_TEXT];
};

static struct harness_rank harness_ranks[HARNESS_RANKS];
static _Thread_local struct harness_rank *self = &harness_ranks[0];

static inline uint64_t seed(void)
{
	const char *text = getenv("SEED");

	return text ? strtoull(text, NULL, 0) : 20240229;
}

/* Names the case that starts; false when PROBLEM asks for another one. */
__attribute__((format(printf, 1, 2))) static inline bool step(const char *format, ...)
{
	const char *only = getenv("PROBLEM");
	char text[HARNESS_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (only && strcmp(only, text) != 0)
		return false;
	memcpy(self->step, text, sizeof text);
	snprintf(self->at, sizeof self->at, "rank %d: %s", totum_comm_rank(self->comm), text);
	return true;
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void fail(const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "FAILED %s: %s\n  again: PROBLEM='%s' SEED=%llu with %d ranks\n", self->at,
		text, self->step, (unsigned long long)seed(), totum_comm_nranks(self->comm));
	_exit(1);
}

__attribute__((format(printf, 1, 2), noreturn)) static inline void skip(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	_exit(HARNESS_SKIPPED);
}

static inline void ok(totum_status status)
{
	if (status)
		fail("%s: %s", totum_strerror(status), totum_errmsg());
}

/* The call must have failed with `wanted`, and its sentence must be one line. */
static inline const char *refused(totum_status status, totum_status wanted)
{
	const char *sentence = totum_errmsg();

	if (status != wanted)
		fail("wanted %s, got %s%s%s", totum_strerror(wanted), totum_strerror(status),
		     status ? ": " : "", status ? sentence : "");
	if (strlen(sentence) < 20 || strchr(sentence, '\n'))
		fail("not one sentence: \"%s\"", sentence);
	return sentence;
}

/* A gather on comm must bring everybody's number, whatever failed before. */
static inline void still_works(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), got[HARNESS_RANKS];

	ok(totum_allgather(&rank, got, 1, TOTUM_I32, comm));
	for (int r = 0; r < totum_comm_nranks(comm); r++)
		if (got[r] != r)
			fail("the gather afterwards brings %d instead of %d", got[r], r);
}

/* Does the text hold the word, not as a part of a longer one?  "rank 1" is not in "rank 12". */
static inline bool says(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		char after = at[length];
		bool digit = after >= '0' && after <= '9';

		if (!digit)
			return true;
	}
	return false;
}

static inline bool says_rank(const char *text, int rank)
{
	char word[32];

	snprintf(word, sizeof word, "rank %d", rank);
	return says(text, word);
}

/* Ranks may be writing: no sanitizer is to look, an answer is better than none. */
__attribute__((no_sanitize("thread"))) static void harness_say(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	syscall(SYS_write, 2, text, length);
	syscall(SYS_write, 2, "\n", 1);
}

__attribute__((no_sanitize("thread"))) static void harness_deadline(int signal_number)
{
	(void)signal_number;
	harness_say("DEADLINE passed; the ranks of this process are at");
	for (int i = 0; i < HARNESS_RANKS && harness_ranks[i].comm; i++)
		harness_say(harness_ranks[i].at);
	_exit(1);
}

static void *harness_run(void *rank)
{
	self = rank;
	step("start");
	test(self->comm);
	ok(totum_comm_free(self->comm));
	return NULL;
}

static int harness_threads(int nranks)
{
	totum_comm *comms[HARNESS_RANKS];
	pthread_t threads[HARNESS_RANKS];

	if (nranks < 1 || nranks > HARNESS_RANKS) {
		fprintf(stderr, "--threads takes 1 to %d\n", HARNESS_RANKS);
		return 2;
	}
	if (totum_init_threads(nranks, comms)) {
		fprintf(stderr, "totum_init_threads: %s\n", totum_errmsg());
		return 1;
	}
	for (int i = 0; i < nranks; i++)
		harness_ranks[i].comm = comms[i];
	for (int i = 0; i < nranks; i++)
		if (pthread_create(&threads[i], NULL, harness_run, &harness_ranks[i]))
			fail("cannot start a thread for rank %d", i);
	for (int i = 0; i < nranks; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	totum_status status;

	signal(SIGALRM, harness_deadline);
	alarm(HARNESS_DEADLINE_S);
	if (argc > 2 && strcmp(argv[1], "--threads") == 0)
		return harness_threads(atoi(argv[2]));
	if (argc > 4 && strcmp(argv[1], "--create") == 0)
		status = totum_comm_create(atoi(argv[2]), atoi(argv[3]), argv[4], "test secret",
					   &harness_ranks[0].comm);
	else
		status = totum_init(&harness_ranks[0].comm);
	if (status) {
		fprintf(stderr, "no communicator: %s\n", totum_errmsg());
		return 1;
	}
	harness_run(&harness_ranks[0]);
	return 0;
}

#endif
