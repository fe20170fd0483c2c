/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exits - ranks that end without a farewell: at once after their last call, before the first call
 * on a communicator, or never, but stuck.  Started by tests/cli/exits.sh.  ranks: none
 *
 * This process is no rank: it forks those of each case, which meet by themselves, and takes their
 * exit codes.  A rank that ends in the course of a case does so by _exit or by SIGKILL and frees
 * nothing; all others must get what was sent before, then the loss with its name, and free all.
 *
 *     exits                 all cases, on this host
 *     exits CASE            this process is a rank of that case, as a launcher says
 *     exits --list          "NRANKS KILLED CASE" of each; KILLED is the rank that dies, or -1
 */
#include <totum.h>

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4, DEADLINE_S = 30 };

struct place {
	totum_comm *comm;
	int rank, nranks;
	const char *name;
	bool far; /* the ranks may be on several hosts */
};

__attribute__((format(printf, 2, 3), noreturn)) static void fail(const struct place *p,
								 const char *format, ...)
{
	va_list args;

	fprintf(stderr, "FAILED %s: rank %d: ", p->name, p->rank);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

static void ok(const struct place *p, totum_status status)
{
	if (status)
		fail(p, "%s", totum_errmsg());
}

/* The call failed so, and its sentence has the words. */
static void refused(const struct place *p, totum_status status, totum_status wanted,
		    const char *words)
{
	if (status != wanted)
		fail(p, "%s instead of %s", totum_strerror(status), totum_strerror(wanted));
	if (!strstr(totum_errmsg(), words))
		fail(p, "does not say \"%s\": %s", words, totum_errmsg());
}

static void nap_ms(long milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static unsigned char byte_at(size_t i)
{
	return (unsigned char)(i * 31 >> 3);
}

static unsigned char *buffer(const struct place *p, size_t bytes, int filled)
{
	unsigned char *memory = malloc(bytes + 1);

	if (!memory)
		fail(p, "no memory for %zu bytes", bytes);
	for (size_t i = 0; i < bytes; i++)
		memory[i] = filled ? byte_at(i) : 0xA5;
	return memory;
}

static void check(const struct place *p, const unsigned char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (memory[i] != byte_at(i))
			fail(p, "byte %zu of %zu is wrong", i, bytes);
}

/* --- at once after the last call ------------------------------------------------------------- */

static void broadcast_then_exit(struct place *p, size_t bytes)
{
	unsigned char *data = buffer(p, bytes, p->rank == 0);

	if (p->rank)
		nap_ms(100);
	ok(p, totum_broadcast(data, data, bytes, TOTUM_U8, 0, p->comm));
	if (p->rank == 0)
		_exit(0);
	check(p, data, bytes);
	refused(p, totum_barrier(p->comm), TOTUM_ELOST, "rank 0 ");
	free(data);
	ok(p, totum_comm_free(p->comm));
}

static void small_broadcast(struct place *p)
{
	broadcast_then_exit(p, 8);
}

static void staged_broadcast(struct place *p)
{
	broadcast_then_exit(p, 60000);
}

static void large_broadcast(struct place *p)
{
	broadcast_then_exit(p, 3000000);
}

/* What has been sent stays sent, as far as the sender was told so. */
static void messages(struct place *p)
{
	enum { MANY = 20, BYTES = 1000 };
	unsigned char *data = buffer(p, BYTES, p->rank == 1);

	for (int i = 0; i < MANY && p->rank == 1; i++)
		ok(p, totum_send(data, BYTES, TOTUM_U8, 0, i, p->comm));
	if (p->rank == 1)
		_exit(0);
	nap_ms(100);
	for (int i = 0; i < MANY && p->rank == 0; i++) {
		memset(data, 0, BYTES);
		ok(p, totum_recv(data, BYTES, TOTUM_U8, 1, i, p->comm, NULL));
		check(p, data, BYTES);
	}
	if (p->rank == 0)
		refused(p, totum_recv(data, BYTES, TOTUM_U8, 1, MANY, p->comm, NULL), TOTUM_ELOST,
			"rank 1 ");
	free(data);
	ok(p, totum_comm_free(p->comm));
}

/* A request that nobody waits for, a plan, a window and an allocation are no reason to stay. */
static void with_things_in_hand(struct place *p)
{
	unsigned char *data = buffer(p, 500000, 1), *all = buffer(p, 2000000, 0);
	totum_request *request = NULL;
	totum_plan *plan;
	totum_window *window;
	void *memory;

	ok(p, totum_window_create(p->comm, 100000, &window));
	ok(p, totum_alloc(p->comm, 100000, &memory));
	ok(p, totum_barrier_plan(p->comm, &plan));
	ok(p, totum_iallgather(data, all, 500000, TOTUM_U8, p->comm, &request));
	if (p->rank == 2)
		exit(0);
	totum_status status = totum_wait(request);

	while (!status)
		status = totum_barrier(p->comm);
	refused(p, status, TOTUM_ELOST, "rank 2 ");
	refused(p, totum_start(plan, &request), TOTUM_OK, "");
	refused(p, totum_wait(request), TOTUM_ELOST, "rank 2 ");
	ok(p, totum_plan_free(plan));
	ok(p, totum_free(p->comm, memory));
	refused(p, totum_window_free(window), TOTUM_ELOST, "rank 2 ");
	ok(p, totum_comm_free(p->comm));
	free(data);
	free(all);
}

/* --- before the first call ------------------------------------------------------------------- */

static void before_the_first_call(struct place *p)
{
	totum_comm *reversed;
	int own = p->rank, all[MOST];

	ok(p, totum_comm_split(p->comm, 0, -p->rank, &reversed));
	ok(p, totum_barrier(p->comm));
	if (p->rank == 0)
		raise(SIGKILL);
	if (p->rank == 1)
		nap_ms(100);
	/* in the reversed communicator the victim is the last */
	refused(p, totum_allgather(&own, all, 1, TOTUM_I32, reversed), TOTUM_ELOST, "rank 3 ");
	ok(p, totum_comm_free(reversed));
	refused(p, totum_barrier(p->comm), TOTUM_ELOST, "rank 0 ");
	ok(p, totum_comm_free(p->comm));
}

static void in_a_split(struct place *p)
{
	totum_comm *made = NULL;

	if (p->rank == 1)
		raise(SIGKILL);
	refused(p, totum_comm_split(p->comm, p->rank % 2, 0, &made), TOTUM_ELOST, "rank 1 ");
	if (made)
		fail(p, "a communicator was made");
	ok(p, totum_comm_free(p->comm));
}

/* Nobody calls: nobody has to know. */
static void unnoticed(struct place *p)
{
	if (p->rank == 0)
		raise(SIGKILL);
	nap_ms(50);
	ok(p, totum_comm_free(p->comm));
}

/* --- never, but stuck ------------------------------------------------------------------------ */

static void stuck(struct place *p)
{
	int own = p->rank, all[MOST];

	ok(p, totum_comm_configure(p->comm, "progress=thread:timeout=700ms"));
	ok(p, totum_barrier(p->comm)); /* that all have this timeout */
	uint64_t done = 0;
	struct totum_counters counters = {.size = sizeof counters};

	for (; done < 4; done++)
		ok(p, totum_allgather(&own, all, 1, TOTUM_I32, p->comm));
	if (p->rank == 1)
		nap_ms(1800); /* its thread lives */
	ok(p, totum_stats(p->comm, &counters));
	if (p->rank == 1) {
		totum_status status = totum_barrier(p->comm);

		/* from another host it may hear first what the others had called */
		if (!p->far || status != TOTUM_EMISMATCH)
			refused(p, status, TOTUM_ETIMEOUT, "for rank 1 ");
	} else {
		char words[96];

		/* calls are numbered from 1: this one comes after those that were counted */
		unsigned long long calls = counters.calls;

		if (p->far) /* there a rank is asked, and this one does not answer */
			snprintf(words, sizeof words, "in call %llu for rank 1 on host", calls + 1);
		else
			snprintf(words, sizeof words, "in call %llu for rank 1 (in call %llu)",
				 calls + 1, calls);
		refused(p, totum_allgather(&own, all, 1, TOTUM_I32, p->comm), TOTUM_ETIMEOUT,
			words);
	}
	ok(p, totum_comm_free(p->comm));
}

static const struct {
	const char *name;
	void (*live)(struct place *p);
	int nranks, killed; /* -1: nobody */
} cases[] = {
	{"small broadcast", small_broadcast, 3, -1},
	{"staged broadcast", staged_broadcast, 3, -1},
	{"large broadcast", large_broadcast, 3, -1},
	{"messages", messages, 3, -1},
	{"with things in hand", with_things_in_hand, 3, -1},
	{"before the first call", before_the_first_call, 4, 0},
	{"in a split", in_a_split, 4, 1},
	{"unnoticed", unnoticed, 3, 0},
	{"stuck", stuck, 3, -1},
};

static _Noreturn void run_rank(size_t which, int rank)
{
	struct place p = {.rank = rank, .nranks = cases[which].nranks, .name = cases[which].name};
	char root[64];

	alarm(DEADLINE_S);
	snprintf(root, sizeof root, "local:exits-%d-%zu", (int)getppid(), which);
	ok(&p, totum_comm_create(rank, p.nranks, root, "exits", &p.comm));
	cases[which].live(&p);
	exit(0);
}

/* How many ranks of the case ended otherwise than they should. */
static int play(size_t which)
{
	pid_t pids[MOST];
	int failures = 0, status;

	for (int rank = 0; rank < cases[which].nranks; rank++) {
		pids[rank] = fork();
		if (pids[rank] == 0)
			run_rank(which, rank);
	}
	for (int rank = 0; rank < cases[which].nranks; rank++) {
		int wanted = rank == cases[which].killed ? SIGKILL : 0;

		waitpid(pids[rank], &status, 0);
		if (status == wanted)
			continue;
		fprintf(stderr, "FAILED %s: rank %d ended with status 0x%x\n", cases[which].name,
			rank, (unsigned)status);
		failures++;
	}
	return failures;
}

static void list(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		printf("%d %d %s\n", cases[i].nranks, cases[i].killed, cases[i].name);
}

static int be_rank(const char *name)
{
	struct place p = {.name = name, .far = true};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (strcmp(cases[i].name, name) != 0)
			continue;
		alarm(DEADLINE_S);
		ok(&p, totum_init(&p.comm));
		p.rank = totum_comm_rank(p.comm);
		p.nranks = totum_comm_nranks(p.comm);
		cases[i].live(&p);
		return 0;
	}
	fprintf(stderr, "there is no case \"%s\"\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	int failures = 0;

	if (argc > 1 && strcmp(argv[1], "--list") != 0)
		return be_rank(argv[1]);
	if (argc > 1) {
		list();
		return 0;
	}

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		failures += play(i);
	return failures > 0;
}
