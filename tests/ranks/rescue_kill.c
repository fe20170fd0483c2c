/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescue_kill - ranks are killed in all-gathers, and the others complete the call that failed, for
 * tests/cli/rescue.sh.  ranks: none
 *
 * This process is no rank: it forks them.  First come cases whose outcome is certain, then ROUNDS
 * in which one or two of 2 to 6 ranks are killed at a random moment.  All survivors must rescue the
 * same call, have the same shards in the end, every byte of them right, and lack those of killed
 * ranks alone.  SEED chooses everything random.
 *
 *   rescue_kill ROUNDS
 */
#include "ranks/rescuing.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What ranks 1, and 0 before it, do in place of the call. */
enum deed { NOTHING, DIES_BEFORE, DIES_AFTER_POSTING, BOTH_DIE };
static const char *const deeds[] = {"at random", "killed before the call",
				    "killed when it has begun it",
				    "killed when it has begun it, behind one killed before"};

struct round {
	int number, nranks, victims[2], nvictims;
	enum deed deed;
	bool heap; /* send is memory that peers read in place */
	size_t least, most;
	const char *settings;
	uint64_t seed;
	long moment_us;
};

struct report {
	int rank;
	long call; /* -1: it goes wrong; -2: it begins */
	unsigned mask;
	char text[400];
};

static uint64_t below(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 33) % limit;
}

static void nap_us(long us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static void report(int to, struct report what, const char *text)
{
	snprintf(what.text, sizeof what.text, "%s", text ? text : "");
	if (write(to, &what, sizeof what) != sizeof what)
		_exit(3);
}

static bool is_victim(const struct round *round, int rank)
{
	return rank == round->victims[0] || (round->nvictims == 2 && rank == round->victims[1]);
}

/* The certain cases: this rank's part before the survivors call. */
static void prepare(const struct round *round, struct rescuing *job, int start)
{
	struct shape shape = shape_of(job, 0);
	totum_request *request;
	char byte;

	if (round->heap) {
		free(job->send);
		if (totum_alloc(job->comm, job->most + 1024, (void **)&job->send))
			_exit(3);
	}
	if (is_victim(round, job->rank) && round->deed != NOTHING) {
		if (round->deed == DIES_BEFORE || job->rank == round->victims[1])
			raise(SIGKILL);
		const void *send = rescuing_fill(job, 0, &shape);
		if (totum_iallgatherv(send, shape.counts[job->rank], job->recv[0], shape.counts,
				      shape.displs, TOTUM_U8, job->comm, &request))
			_exit(3);
		raise(SIGKILL);
	}
	if (round->deed != NOTHING && read(start, &byte, 1) != 0) /* its end: they are dead */
		_exit(3);
}

/* The certain cases have one form, so that the bytes are where they are wanted. */
static totum_status gather(const struct round *round, struct rescuing *job)
{
	struct shape shape = shape_of(job, 0);

	if (round->deed == NOTHING)
		return rescuing_gather(job);
	memset(job->recv[0], 0x5A, job->most + 64 * RESCUING_RANKS); /* as rescuing_open */
	const void *send = rescuing_fill(job, 0, &shape);
	return totum_allgatherv(send, shape.counts[job->rank], job->recv[0], shape.counts,
				shape.displs, TOTUM_U8, job->comm);
}

static void live(const struct round *round, int rank, int to, int start)
{
	struct rescuing job = {.seed = round->seed, .least = round->least, .most = round->most};
	struct report what = {.rank = rank, .call = -2};
	char root[64], text[360] = "";

	alarm(60);
	snprintf(root, sizeof root, "local:rescue-%d-%d", (int)getppid(), round->number);
	if (totum_comm_create(rank, round->nranks, root, "rescue", &job.comm) ||
	    totum_comm_configure(job.comm, round->settings) || totum_barrier(job.comm)) {
		what.call = -1;
		report(to, what, totum_errmsg());
		_exit(0);
	}
	rescuing_open(&job);
	report(to, what, NULL);
	prepare(round, &job, start);
	totum_status status;
	int back = 0;
	job.wrong = "no loss";
	while (!(status = gather(round, &job)) && round->deed == NOTHING)
		job.call++;
	if (!status) { /* the shard had come: the loss shows in the next call */
		job.call++;
		back = 1;
		status = totum_barrier(job.comm);
	}
	what.call = status == TOTUM_ELOST ? rescuing_recover(&job, back, &what.mask) : -1;
	if (what.call < 0)
		snprintf(text, sizeof text, "%s: %s", job.wrong, totum_errmsg());
	report(to, what, text);
	if (round->heap)
		_exit(0);
	rescuing_close(&job);
	if (totum_comm_free(job.comm))
		_exit(4);
	_exit(0);
}

static bool wrong(const struct round *round, const char *what, const struct report *report)
{
	fprintf(stderr, "FAILED round %d: %d ranks, %zu to %zu bytes, %s, rank%s %d", round->number,
		round->nranks, round->least, round->most, round->settings,
		round->nvictims > 1 ? "s" : "", round->victims[0]);
	if (round->nvictims > 1)
		fprintf(stderr, " and %d", round->victims[1]);
	fprintf(stderr, " %s: %s", deeds[round->deed], what);
	if (report)
		fprintf(stderr, " (rank %d, call %ld, shards %x: %s)", report->rank, report->call,
			report->mask, report->text);
	fputc('\n', stderr);
	return false;
}

static bool next_report(int from, struct report *out)
{
	struct pollfd wait = {.fd = from, .events = POLLIN};

	return poll(&wait, 1, 30000) == 1 && read(from, out, sizeof *out) == sizeof *out;
}

/* Every survivor says the same, and lacks nothing but what killed ranks brought. */
static bool judge(const struct round *round, int from, struct report *first)
{
	unsigned lost = 0;

	for (int i = 0; i < round->nvictims; i++)
		lost |= 1u << round->victims[i];
	for (int i = 0; i < round->nranks - round->nvictims; i++) {
		struct report next;
		if (!next_report(from, &next))
			return wrong(round, "a survivor does not end", NULL);
		if (next.call < 0)
			return wrong(round, "a survivor fails", &next);
		if ((next.mask | lost) != (1u << round->nranks) - 1)
			return wrong(round, "a survivor's shard is lost", &next);
		if (i && (next.call != first->call || next.mask != first->mask))
			return wrong(round, "survivors differ", &next);
		*first = i ? *first : next;
	}
	return true;
}

static bool play(struct round *round, unsigned *lacks)
{
	pid_t pids[RESCUING_RANKS];
	int ends[2], starts[2], status;
	struct report first = {0};
	bool right = true;

	if (pipe(ends) || pipe(starts))
		exit(2);
	for (int rank = 0; rank < round->nranks; rank++) {
		pids[rank] = fork();
		if (pids[rank] < 0)
			exit(2);
		if (pids[rank] == 0) {
			close(ends[0]);
			close(starts[1]);
			live(round, rank, ends[1], starts[0]);
		}
	}
	close(ends[1]);
	close(starts[0]);
	for (int i = 0; i < round->nranks && right; i++)
		if (!next_report(ends[0], &first) || first.call != -2)
			right = wrong(round, "a rank does not begin", &first);
	nap_us(round->moment_us);
	for (int i = 0; i < round->nvictims; i++) {
		if (round->deed == NOTHING)
			kill(pids[round->victims[i]], SIGKILL);
		if (right)
			waitpid(pids[round->victims[i]], &status, 0);
	}
	close(starts[1]);
	right = right && judge(round, ends[0], &first);
	*lacks = ~first.mask & ((1u << round->nranks) - 1);
	for (int rank = 0; rank < round->nranks; rank++) {
		if (!right)
			kill(pids[rank], SIGKILL);
		if (waitpid(pids[rank], &status, 0) == pids[rank] && right && status)
			right = wrong(round, "a survivor does not exit with 0", NULL);
	}
	close(ends[0]);
	return right;
}

/* A shard that was published whole is rescued; one that was not, or only in part, is lost. */
static bool play_certain(int *number, uint64_t seed)
{
	static const struct {
		enum deed deed;
		size_t bytes;
		bool heap;
		unsigned lacks; /* whose shards, in bits */
		const char *settings;
	} cases[] = {
		{DIES_BEFORE, 64, false, 1 << 2, "timeout=30s"},
		{DIES_BEFORE, 4 << 20, false, 1 << 2, "timeout=30s"},
		{DIES_BEFORE, 4096, false, 1 << 2, "algo=ring"},
		{DIES_AFTER_POSTING, 64, false, 0, "timeout=30s"},
		{DIES_AFTER_POSTING, 64 << 10, false, 0, "timeout=30s"},
		{DIES_AFTER_POSTING, 8 << 20, true, 0, "timeout=30s"}, /* read in place */
		/* it can be read no more, or has come in part */
		{DIES_AFTER_POSTING, 8 << 20, false, 1 << 2, "timeout=30s"},
		{BOTH_DIE, 64, false, 1 << 1, "timeout=30s"},
		{BOTH_DIE, 64 << 10, false, 1 << 1, "timeout=30s"},
		{BOTH_DIE, 8 << 20, true, 1 << 1, "timeout=30s"},
		{BOTH_DIE, 8 << 20, false, 1 << 1 | 1 << 2, "timeout=30s"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct round round = {.number = ++*number,
				      .nranks = 4,
				      .victims = {2, 1},
				      .nvictims = 1 + (cases[i].deed == BOTH_DIE),
				      .deed = cases[i].deed,
				      .heap = cases[i].heap,
				      .least = cases[i].bytes,
				      .most = cases[i].bytes,
				      .settings = cases[i].settings,
				      .seed = seed};
		unsigned lacks;
		/* a call of uneven shards, of which the victims' are not empty */
		for (struct rescuing job = {.nranks = 4};; round.seed++) {
			job.seed = round.seed, job.least = round.least, job.most = round.most;
			struct shape shape = shape_of(&job, 0);
			if (shape.form == UNEVEN && shape.counts[1] && shape.counts[3] &&
			    shape.counts[2] > cases[i].bytes / 8)
				break;
		}
		if (!play(&round, &lacks))
			return false;
		if (lacks != cases[i].lacks)
			return wrong(&round, "a shard is lost, or comes from nowhere", NULL);
	}
	return true;
}

int main(int argc, char **argv)
{
	static const char *const settings[] = {"timeout=30s", "timeout=30s", "algo=ring",
					       "algo=direct", "algo=bruck,radix=2"};
	static const size_t most[] = {8, 4096, 256 << 10, 2 << 20, 16 << 20};
	const char *seed = getenv("SEED");
	uint64_t random = (uint64_t)(seed ? strtol(seed, NULL, 0) : (long)getpid());
	int rounds = argc > 1 ? atoi(argv[1]) : 20, number = 0, wholes = 0;

	printf("SEED=%llu\n", (unsigned long long)random);
	fflush(stdout);
	if (!play_certain(&number, random))
		return 1;
	for (int i = 0; i < rounds; i++) {
		unsigned lacks;
		struct round round = {.number = ++number, .nranks = 2 + (int)below(&random, 5)};
		round.nvictims = 1 + (round.nranks > 2 && below(&random, 3) == 0);
		round.victims[0] = (int)below(&random, (uint64_t)round.nranks);
		round.victims[1] =
			(round.victims[0] + 1 + (int)below(&random, (uint64_t)round.nranks - 1)) %
			round.nranks;
		round.most = most[below(&random, 5)];
		round.least = round.most / 64 > 8 ? round.most / 64 : 8;
		round.settings = settings[below(&random, 5)];
		round.seed = below(&random, 1 << 30);
		round.moment_us = (long)below(&random, 20000);
		if (!play(&round, &lacks))
			return 1;
		wholes += !lacks;
	}
	printf("%d of %d random rounds were rescued whole\n", wholes, rounds);
	return 0;
}
