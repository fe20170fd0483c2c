/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shrink_again - a survivor dies in the middle of a shrink, for tests/cli/shrink_again.sh.
 * ranks: none
 *
 * This process is no rank: it forks four.  Rank 1 dies; rank 3 comes to the shrink, where it waits
 * for rank 2 and is stopped; when rank 2 comes the survivors decide on a communicator with rank 3
 * in it, which rank 3 never joins, for it is killed.  Ranks 0 and 2 must end with a communicator of
 * their own that works.
 */
#include <totum.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 4, LATE_MS = 300, STOP_MS = 150, KILL_MS = 600 };

static void nap_ms(long milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static void wanted(int rank, const char *what, int right)
{
	if (right)
		return;
	fprintf(stderr, "FAILED rank %d: %s: %s\n", rank, what, totum_errmsg());
	_exit(1);
}

/* ready tells that this rank is about to shrink. */
static void live(int rank, const char *root, int ready)
{
	totum_comm *comm, *next;
	int mine = rank, all[RANKS];
	totum_status status;

	alarm(60);
	wanted(rank, "create", !totum_comm_create(rank, RANKS, root, "shrink", &comm));
	wanted(rank, "barrier", !totum_barrier(comm));
	if (rank == 1)
		raise(SIGKILL);
	while (!(status = totum_barrier(comm)))
		;
	wanted(rank, "a loss", status == TOTUM_ELOST && strstr(totum_errmsg(), "rank 1 "));
	wanted(rank, "write", write(ready, "x", 1) == 1);
	if (rank == 2)
		nap_ms(LATE_MS);
	wanted(rank, "shrink", !totum_comm_shrink(comm, &next));
	wanted(rank, "two ranks",
	       totum_comm_nranks(next) == 2 && totum_comm_rank(next) == rank / 2);
	wanted(rank, "gather", !totum_allgather(&mine, all, 1, TOTUM_I32, next));
	wanted(rank, "0 and 2", all[0] == 0 && all[1] == 2);
	wanted(rank, "free", !totum_comm_free(next) && !totum_comm_free(comm));
}

int main(void)
{
	pid_t pids[RANKS];
	char root[64], byte;
	int ends[2], status, failures = 0;

	snprintf(root, sizeof root, "local:shrink-again-%d", (int)getpid());
	if (pipe(ends))
		return 2;
	for (int rank = 0; rank < RANKS; rank++) {
		pids[rank] = fork();
		if (pids[rank] == 0) {
			live(rank, root, ends[1]);
			_exit(0);
		}
	}
	close(ends[1]);
	for (int i = 0; i < RANKS - 1; i++)
		if (read(ends[0], &byte, 1) != 1)
			failures++;
	nap_ms(STOP_MS);
	kill(pids[3], SIGSTOP);
	nap_ms(KILL_MS);
	kill(pids[3], SIGKILL);
	for (int rank = 0; rank < RANKS; rank++) {
		waitpid(pids[rank], &status, 0);
		failures += rank % 2 == 0 && status != 0;
	}
	return failures > 0;
}
