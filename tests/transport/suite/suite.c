/* SPDX-License-Identifier: BSD-3-Clause */
/* suite - runs the cases: PROGRAM [--threads] [--chaos] [CASE ..]; SEED=NUMBER repeats a run. */
#include "transport/suite/suite.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/chaos.h"

enum { GUARD = 64, GUARD_BYTE = 0xa5, POISON = 0x5a, DEADLINE_S = 120 };

static const struct test_case *running;
static bool chaos;
static uint64_t seed;
static pid_t children[SUITE_RANKS]; /* 0: has been waited for */
static atomic_bool *said;           /* shared by the ranks, also as processes */

/* --- bytes ----------------------------------------------------------------------------------- */

static unsigned char value(const struct message *message, size_t index)
{
	uint64_t x = (uint64_t)index * 0x9e3779b97f4a7c15u +
		     (uint64_t)message->from * 0xbf58476d1ce4e5b9u +
		     (uint64_t)message->to * 0x94d049bb133111ebu +
		     (uint64_t)message->number * 0xd6e8feb86659fd93u;

	return (unsigned char)((x ^ x >> 29) >> 32);
}

uint64_t pick(struct place *place, uint64_t below)
{
	place->random = place->random * 6364136223846793005u + 1442695040888963407u;
	return (place->random >> 33) % below;
}

static void cut(struct place *place, struct message *message, int nspans)
{
	size_t at = 0;

	message->spans = calloc((size_t)nspans + 1, sizeof *message->spans);
	for (int i = 0; i < nspans; i++) {
		size_t left = message->size - at, share = left / (size_t)(nspans - i);
		size_t now = i == nspans - 1 ? left : (size_t)pick(place, 2 * share + 1);
		if (nspans > 2 && pick(place, 8) == 0 && i < nspans - 1)
			now = 0;
		now = now < left ? now : left;
		message->spans[i] = (struct tt_span){message->bytes + at, now};
		at += now;
	}
	message->transfer.spans = message->spans;
	message->transfer.nspans = nspans;
}

static struct message *message_new(struct place *place, int from, int to, int number, size_t size,
				   int nspans)
{
	struct message *message = calloc(1, sizeof *message);

	message->block = malloc(size + (size_t)2 * GUARD);
	message->bytes = message->block + GUARD;
	memset(message->block, GUARD_BYTE, size + (size_t)2 * GUARD);
	memset(message->bytes, POISON, size);
	message->size = size;
	message->from = from;
	message->to = to;
	message->number = number;
	message->transfer.peer = from == place->rank ? to : from;
	cut(place, message, nspans);
	return message;
}

struct message *message_send(struct place *place, int to, int number, size_t size, int nspans)
{
	struct message *message = message_new(place, place->rank, to, number, size, nspans);

	for (size_t i = 0; i < size; i++)
		message->bytes[i] = value(message, i);
	ok(place, place->transport->send(place->endpoint, &message->transfer));
	return message;
}

struct message *message_receive(struct place *place, int from, int number, size_t size, int nspans)
{
	struct message *message = message_new(place, from, place->rank, number, size, nspans);

	ok(place, place->transport->receive(place->endpoint, &message->transfer));
	return message;
}

void message_check(const struct place *place, const struct message *message)
{
	for (size_t i = 0; i < GUARD; i++)
		if (message->block[i] != GUARD_BYTE ||
		    message->bytes[message->size + i] != GUARD_BYTE)
			fail(place,
			     "a byte beside message %d of %zu bytes from rank %d was written",
			     message->number, message->size, message->from);
	for (size_t i = 0; i < message->size && message->transfer.done; i++)
		if (message->bytes[i] != value(message, i))
			fail(place,
			     "byte %zu of message %d of %zu bytes from rank %d to rank %d is wrong",
			     i, message->number, message->size, message->from, message->to);
}

void message_free(const struct place *place, struct message *message)
{
	message_check(place, message);
	free(message->spans);
	free(message->block);
	free(message);
}

/* --- going on -------------------------------------------------------------------------------- */

void nap(double seconds)
{
	struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

void say(void)
{
	atomic_store(said, true);
}

void hear(void)
{
	while (!atomic_load(said))
		nap(0.001);
}

bool chaotic(void)
{
	return chaos;
}

static bool all_done(struct message *const *messages, int n)
{
	for (int i = 0; i < n; i++)
		if (!messages[i]->transfer.done)
			return false;
	return true;
}

static void check_waits(const struct place *place, struct message *const *messages, int n)
{
	for (int i = 0; i < n; i++)
		if (!messages[i]->transfer.done && !messages[i]->transfer.idle &&
		    !place->transport->waits(place->endpoint, messages[i]->transfer.peer))
			fail(place, "message %d with rank %d is not done, yet nobody waits for it",
			     messages[i]->number, messages[i]->transfer.peer);
}

/* Of one peer and direction, none is done before the one that was started before it. */
static void check_order(const struct place *place, struct message *const *messages, int n)
{
	bool late[2][SUITE_RANKS] = {{false}};

	for (int i = 0; i < n; i++) {
		bool *waits = &late[messages[i]->from == place->rank][messages[i]->transfer.peer];
		if (*waits && messages[i]->transfer.done)
			fail(place, "message %d with rank %d is done before an earlier one",
			     messages[i]->number, messages[i]->transfer.peer);
		*waits |= !messages[i]->transfer.done;
	}
}

totum_status finish(struct place *place, struct message *const *messages, int n)
{
	uint64_t idle_since = 0, looks = 0;

	while (!all_done(messages, n)) {
		bool moved;
		totum_status status = place->transport->progress(place->endpoint, &moved);
		if (status)
			return status;
		if (moved) {
			idle_since = 0;
			if (n <= 64) {
				check_order(place, messages, n);
				check_waits(place, messages, n);
			}
			continue;
		}
		if (!idle_since)
			idle_since = tt_clock_ns();
		/* whoever only tests takes the look alone, and must see the same */
		status = ++looks % 2 ? place->transport->check(place->endpoint, idle_since)
				     : place->transport->wait(place->endpoint, idle_since);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

void complete(struct place *place, struct message **messages, int n)
{
	ok(place, finish(place, messages, n));
	for (int i = 0; i < n; i++)
		message_free(place, messages[i]);
}

void must_fail(struct place *place, struct message *const *messages, int n, totum_status wanted,
	       int rank)
{
	char name[32];
	uint64_t began = tt_clock_ns();
	totum_status status = finish(place, messages, n);
	double took = (double)(tt_clock_ns() - began) * 1e-9;
	const char *sentence = totum_errmsg();

	if (status != wanted)
		fail(place, "wanted %s, got %s%s%s", totum_strerror(wanted), totum_strerror(status),
		     status ? ": " : "", status ? sentence : "");
	snprintf(name, sizeof name, "rank %d", rank);
	const char *at = strstr(sentence, name);
	if (!at || (at[strlen(name)] >= '0' && at[strlen(name)] <= '9') || strchr(sentence, '\n'))
		fail(place, "does not name %s in one line: %s", name, sentence);
	if (took > 60)
		fail(place, "took %.1f s to say: %s", took, sentence);
	place->transport->cancel(place->endpoint);
}

/* --- running --------------------------------------------------------------------------------- */

void fail(const struct place *place, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "FAILED %s %s%s, rank %d of %d: %s\n  again: SEED=%llu\n", world.name,
		running->name, chaos ? " under chaos" : "", place->rank, place->nranks, text,
		(unsigned long long)seed);
	_exit(1);
}

void ok(const struct place *place, totum_status status)
{
	if (status)
		fail(place, "%s: %s", totum_strerror(status), totum_errmsg());
}

struct job {
	void *prepared;
	int rank;
};

static totum_status open_endpoint(struct place *place)
{
	struct tt_chaos_context how = {.inner = place->transport,
				       .context = place->context,
				       .rank = place->rank,
				       .nranks = place->nranks,
				       .seed = seed,
				       .delay_us = 300,
				       .stall_us = 2000};

	if (!chaos)
		return place->transport->open(place->context, &place->endpoint);
	if (running->killed_within && place->rank == running->victim)
		how.kill_at = 1 + pick(place, running->killed_within);
	if (running->fails_within && place->rank == 1)
		how.fail_at = 1 + pick(place, running->fails_within);
	place->transport = &tt_transport_chaos;
	return place->transport->open(&how, &place->endpoint);
}

static void *run_rank(void *context)
{
	const struct job *job = context;
	struct place place = {.rank = job->rank,
			      .nranks = running->nranks,
			      .timeout = running->timeout > 0 ? running->timeout : 60,
			      .random = seed + (uint64_t)job->rank * 1000003};

	if (!world.meet(job->prepared, &place))
		fail(&place, "the ranks did not meet");
	ok(&place, open_endpoint(&place));
	running->run(&place);
	place.transport->close(place.endpoint);
	world.leave(&place);
	return NULL;
}

static void run_threads(void *prepared)
{
	pthread_t threads[SUITE_RANKS];
	struct job jobs[SUITE_RANKS];

	for (int rank = 0; rank < running->nranks; rank++) {
		jobs[rank] = (struct job){prepared, rank};
		if (pthread_create(&threads[rank], NULL, run_rank, &jobs[rank]))
			abort();
	}
	for (int rank = 0; rank < running->nranks; rank++)
		pthread_join(threads[rank], NULL);
	world.forget(prepared, running->nranks);
}

static void kill_children(void)
{
	for (int rank = 0; rank < SUITE_RANKS; rank++)
		if (children[rank])
			kill(children[rank], SIGKILL);
}

static int wait_for_children(void)
{
	int failed = 0, status;
	pid_t pid;

	while ((pid = wait(&status)) > 0 || errno == EINTR) {
		int rank = 0;
		while (rank < SUITE_RANKS && children[rank] != pid)
			rank++;
		if (pid < 0 || rank == SUITE_RANKS)
			continue;
		children[rank] = 0;
		if (!status || (rank && rank == running->victim && WIFSIGNALED(status) &&
				WTERMSIG(status) == SIGKILL))
			continue;
		if (!failed)
			fprintf(stderr, "FAILED %s %s: rank %d ended with status 0x%x\n",
				world.name, running->name, rank, status);
		failed = 1;
		kill_children();
	}
	return failed;
}

static int run_processes(void *prepared)
{
	for (int rank = 0; rank < running->nranks; rank++) {
		children[rank] = fork();
		if (children[rank] < 0)
			abort();
		if (!children[rank]) {
			memset(children, 0, sizeof children);
			run_rank(&(struct job){prepared, rank});
			exit(0); /* not _exit: the leak sanitizer looks here */
		}
	}
	world.forget(prepared, running->nranks);
	return wait_for_children();
}

/* In the parent and in every rank: each says where it is. */
static void deadline(int number)
{
	(void)number;
	dprintf(2, "DEADLINE passed in %s %s (process %d); again: SEED=%llu\n", world.name,
		running->name, (int)getpid(), (unsigned long long)seed);
	kill_children();
	_exit(1);
}

static bool wanted(const struct test_case *test, bool threads, char **names, int n)
{
	if ((threads && test->victim) || (!chaos && (test->killed_within || test->fails_within)))
		return false;
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], test->name))
			return true;
	return n == 0;
}

int main(int argc, char **argv)
{
	const char *given = getenv("SEED");
	bool threads = false;
	int first = 1, ran = 0;

	seed = given ? strtoull(given, NULL, 0) : tt_clock_ns() % 1000000;
	for (; first < argc && argv[first][0] == '-'; first++) {
		threads |= !strcmp(argv[first], "--threads");
		chaos |= !strcmp(argv[first], "--chaos");
	}
	said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said == MAP_FAILED)
		abort();
	signal(SIGALRM, deadline);
	printf("SEED=%llu\n", (unsigned long long)seed);
	for (running = cases; running->name; running++) {
		if (!wanted(running, threads, argv + first, argc - first))
			continue;
		printf("%s\n", running->name);
		fflush(stdout);
		alarm(DEADLINE_S);
		atomic_store(said, false);
		void *prepared = world.prepare(running->nranks, threads);
		if (threads)
			run_threads(prepared);
		else if (run_processes(prepared))
			return 1;
		ran++;
	}
	return ran ? 0 : 2;
}
