/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_trial - a small job, for real: processes meet, gather a little and a lot, and read memory
 * of totum_alloc.  Whatever else stands in the way is found here.
 *
 * The ranks are children that find each other by a name of their own, so that a launcher's
 * variables do not matter; TOTUM_ variables are in force as set.
 */
#include "doctor_checks.h"
#include "doctor_child.h"
#include "totum.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 8, BYTES = 1 << 20, SENTENCE = 900 };

struct rank {
	int rank, nranks;
	const char *root;
};

/* The result of rank r is all r + 1. */
static totum_status gather(totum_comm *comm, const struct rank *rank, unsigned char *mine,
			   size_t bytes)
{
	unsigned char *all = malloc(bytes * (size_t)rank->nranks);
	totum_status status = TOTUM_EMEMORY;

	if (all) {
		memset(mine, rank->rank + 1, bytes);
		status = totum_allgather(mine, all, bytes, TOTUM_U8, comm);
	}
	for (size_t i = 0; !status && i < bytes * (size_t)rank->nranks; i++)
		if (all[i] != i / bytes + 1)
			status = TOTUM_ESYSTEM;
	free(all);
	return status;
}

/* What a rank tells the parent: how far it came, and the sentence of what stopped it. */
struct answer {
	bool gathered, allocated;
	char sentence[SENTENCE];
};

static totum_status work(totum_comm *comm, const struct rank *rank, struct answer *answer)
{
	static unsigned char mine[BYTES];
	void *shared;
	totum_status status = gather(comm, rank, mine, 8);

	if (!status)
		status = gather(comm, rank, mine, BYTES);
	if (status)
		return status;
	answer->gathered = true;
	status = totum_alloc(comm, BYTES, &shared);
	if (!status)
		status = gather(comm, rank, shared, BYTES);
	answer->allocated = !status;
	return status ? status : totum_free(comm, shared);
}

static int run_rank(void *argument, int fd)
{
	const struct rank *rank = argument;
	struct answer answer = {0};
	totum_comm *comm;

	setenv("TOTUM_TIMEOUT", "10s", 1);
	totum_status status =
		totum_comm_create(rank->rank, rank->nranks, rank->root, "doctor", &comm);
	if (!status) {
		status = work(comm, rank, &answer);
		if (!status)
			status = totum_comm_free(comm);
	}
	if (status)
		snprintf(answer.sentence, SENTENCE, "%s",
			 totum_errmsg()[0] ? totum_errmsg() : "wrong bytes arrived");
	return write(fd, &answer, sizeof answer) != sizeof answer;
}

/* The answer of the first rank that did not come to its end, or that of rank 0. */
static struct answer run_job(int nranks)
{
	struct doctor_child children[MOST_RANKS];
	struct rank ranks[MOST_RANKS];
	struct answer answer = {0}, first = {0};
	char root[64];
	bool right = true;

	snprintf(root, sizeof root, "local:doctor-%d", (int)getpid());
	for (int rank = 0; rank < nranks; rank++) {
		ranks[rank] = (struct rank){rank, nranks, root};
		right = doctor_start(&children[rank], run_rank, &ranks[rank]) && right;
	}
	if (!right)
		snprintf(first.sentence, SENTENCE,
			 "a process cannot be started; look at the limits above");
	for (int rank = 0; rank < nranks && right; rank++) {
		if (!doctor_hear(&children[rank], &answer, sizeof answer)) {
			answer = (struct answer){0};
			snprintf(answer.sentence, SENTENCE, "rank %d died or did not end", rank);
		}
		right = !answer.sentence[0];
		if (!right || rank == 0)
			first = answer;
	}
	for (int rank = 0; rank < nranks; rank++)
		doctor_end(&children[rank]);
	return first;
}

void doctor_trial(struct doctor *doctor)
{
	int nranks = doctor->ranks < 2            ? 2
		     : doctor->ranks > MOST_RANKS ? MOST_RANKS
						  : doctor->ranks;

	doctor_group(doctor, "trial");
	if (doctor->counts[DOCTOR_PROBLEM]) {
		doctor_say(doctor, DOCTOR_NOTE, "job", "solve the problems above first",
			   "not tried");
		return;
	}
	struct answer answer = run_job(nranks);
	if (!answer.gathered) {
		doctor_say(doctor, DOCTOR_PROBLEM, "job",
			   "do what the sentence says, and ask the doctor again", "%s",
			   answer.sentence);
		return;
	}
	doctor_say(doctor, DOCTOR_OK, "job", NULL,
		   "%d processes have met and gathered from each other", nranks);
	if (answer.allocated)
		doctor_say(doctor, DOCTOR_OK, "totum_alloc", NULL,
			   "they have read each other's shared memory where it lies");
	else
		doctor_say(doctor, DOCTOR_NOTE, "totum_alloc",
			   "without it large messages take two copies; do what the sentence says",
			   "%s", answer.sentence);
}
