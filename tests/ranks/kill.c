/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill - a rank dies in a loop of all-gathers; the survivors say so within two seconds.
 *
 * ranks: none
 *
 * This process is no rank: it forks them, lets them gather for a random time, kills or stops one of
 * them, and reads what the others report through a pipe.  Every survivor must end by itself with
 * TOTUM_ELOST (of a stopped one: TOTUM_ETIMEOUT) and name that rank.  SEED chooses everything
 * random.
 *
 *   kill ROUNDS     kills in that many rounds, then stops in a tenth as many
 */
#include <totum.h>

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 300000, RANKS = 6, PATIENCE_MS = 2000, STOP_TIMEOUT_MS = 700 };

struct round {
	int number, nranks, victim;
	bool stop; /* SIGSTOP instead of SIGKILL */
	const char *algorithm;
	uint64_t random;
};

/* What a rank tells its parent: it has started (status 0), or how it ended. */
struct report {
	int rank;
	totum_status status;
	char sentence[900];
};

struct job {
	pid_t pids[RANKS];
	int reports; /* the reading end */
};

static uint64_t below(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 33) % limit;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void nap_ms(uint64_t milliseconds)
{
	nanosleep(&(struct timespec){(time_t)(milliseconds / 1000),
				     (long)(milliseconds % 1000) * 1000000},
		  NULL);
}

static void report(int to, int rank, totum_status status)
{
	struct report text = {.rank = rank, .status = status};

	snprintf(text.sentence, sizeof text.sentence, "%s", status ? totum_errmsg() : "");
	if (write(to, &text, sizeof text) != sizeof text)
		_exit(3);
}

/* The life of a rank: gathers of the same random sizes on all ranks, until one fails. */
static totum_status gather_until_failure(const struct round *round, int rank, int to)
{
	static unsigned char send[LARGEST], recv[LARGEST * RANKS];
	uint64_t random = round->random;
	char root[64], settings[96];
	totum_comm *comm;

	snprintf(root, sizeof root, "local:kill-%d-%d", (int)getppid(), round->number);
	totum_status status = totum_comm_create(rank, round->nranks, root, "kill", &comm);

	if (status)
		return status;
	snprintf(settings, sizeof settings, "algo=%s:timeout=%s", round->algorithm,
		 round->stop ? "700ms" : "30s");
	status = totum_comm_configure(comm, settings);
	report(to, rank, status);
	while (!status) {
		size_t bytes = (size_t)below(&random, (uint64_t)1 << below(&random, 19)) % LARGEST;

		status = totum_allgather(send, recv, bytes, TOTUM_U8, comm);
	}
	return status;
}

static struct job start(const struct round *round)
{
	struct job job = {.reports = -1};
	int ends[2];

	if (pipe(ends))
		exit(2);
	for (int rank = 0; rank < round->nranks; rank++) {
		job.pids[rank] = fork();
		if (job.pids[rank] < 0)
			exit(2);
		if (job.pids[rank] == 0) {
			close(ends[0]);
			alarm(60);
			report(ends[1], rank, gather_until_failure(round, rank, ends[1]));
			_exit(0);
		}
	}
	close(ends[1]);
	job.reports = ends[0];
	return job;
}

/* The next report, or false when none comes in time. */
static bool next_report(const struct job *job, uint64_t deadline_ms, struct report *out)
{
	uint64_t now = now_ms();
	struct pollfd wait = {.fd = job->reports, .events = POLLIN};

	if (now >= deadline_ms || poll(&wait, 1, (int)(deadline_ms - now)) != 1)
		return false;
	return read(job->reports, out, sizeof *out) == sizeof *out;
}

static bool names_rank(const char *sentence, int rank)
{
	char word[16];
	int length = snprintf(word, sizeof word, "rank %d", rank);

	for (const char *at = strstr(sentence, word); at; at = strstr(at + 1, word))
		if (at[length] < '0' || at[length] > '9')
			return true;
	return false;
}

static bool wrong(const struct round *round, const char *what, const struct report *report)
{
	fprintf(stderr, "FAILED round %d: %d ranks, algo=%s, rank %d %s: %s", round->number,
		round->nranks, round->algorithm, round->victim, round->stop ? "stopped" : "killed",
		what);
	if (report)
		fprintf(stderr, " (rank %d: %s: %s)", report->rank, totum_strerror(report->status),
			report->sentence);
	fputc('\n', stderr);
	return false;
}

static bool check_survivors(const struct round *round, const struct job *job)
{
	uint64_t deadline = now_ms() + PATIENCE_MS + (round->stop ? STOP_TIMEOUT_MS : 0);
	totum_status wanted = round->stop ? TOTUM_ETIMEOUT : TOTUM_ELOST;
	struct report report = {0};

	for (int i = 1; i < round->nranks; i++) {
		if (!next_report(job, deadline, &report))
			return wrong(round, "a survivor did not end in time", NULL);
		if (report.status != wanted)
			return wrong(round, "wrong status", &report);
		if (!names_rank(report.sentence, round->victim))
			return wrong(round, "does not name it", &report);
	}
	return true;
}

/* Everything is over, whatever happened: no child of this round remains. */
static bool finish(const struct round *round, const struct job *job, bool right)
{
	int status;

	kill(job->pids[round->victim], SIGKILL);
	for (int rank = 0; rank < round->nranks; rank++) {
		if (!right)
			kill(job->pids[rank], SIGKILL);
		waitpid(job->pids[rank], &status, 0);
		if (right && rank != round->victim && (!WIFEXITED(status) || WEXITSTATUS(status)))
			right = wrong(round, "a survivor did not exit with 0", NULL);
	}
	close(job->reports);
	return right;
}

static bool play(struct round *round)
{
	struct job job = start(round);
	struct report report = {0};
	bool right = true;

	for (int i = 0; right && i < round->nranks; i++)
		if (!next_report(&job, now_ms() + 20000, &report) || report.status)
			right = wrong(round, "no start", &report);
	if (right) {
		nap_ms(below(&round->random, 40));
		kill(job.pids[round->victim], round->stop ? SIGSTOP : SIGKILL);
		right = check_survivors(round, &job);
	}
	return finish(round, &job, right);
}

int main(int argc, char **argv)
{
	int kills = argc > 1 ? atoi(argv[1]) : 50, failures = 0;
	const char *seed = getenv("SEED");
	uint64_t random = seed ? strtoull(seed, NULL, 0) : 20240229;

	for (int i = 0; i < kills + kills / 10; i++) {
		struct round round = {.number = i, .stop = i >= kills};

		round.algorithm = i % 2 ? "ring" : "auto";
		round.nranks = 2 + (int)below(&random, RANKS - 1);
		round.victim = (int)below(&random, (uint64_t)round.nranks);
		round.random = below(&random, 1u << 30);
		failures += !play(&round);
	}
	printf("%d rounds, %d failures\n", kills + kills / 10, failures);
	return failures > 0;
}
