/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rendezvous - hello, descriptors, joined, go.
 *
 * Four packets a rank.  Whatever goes wrong on one rank is told to all by rank 0, so that nobody is
 * left waiting; a stranger or a process with another secret is sent away and does not disturb.
 */
#include "launch/rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "host/roll.h"
#include "host/segment.h"
#include "launch/terms.h"
#include "launch/wire.h"

enum { LAST_WORDS_NS = 1000000000 };

/* Rank 0's side: a connection a rank, -1 until it has said hello. */
struct gate {
	const struct tt_identity *identity;
	const struct tt_settings *settings;
	uint64_t deadline;
	int listener;
	int *ranks;
	int missing;
};

/* A hello that does not fit is answered and forgotten; one that contradicts fails the job. */
static totum_status admit(struct gate *gate, int fd, const struct tt_hello *hello)
{
	const struct tt_identity *me = gate->identity;

	if (hello->magic != tt_wire_magic ||
	    strncmp(hello->secret, me->secret, sizeof hello->secret)) {
		tt_log("sent away a process that does not know the secret of this job");
		tt_fail(TOTUM_EINVAL, "the secret differs from that of rank 0: this process "
			"belongs to another job");
		tt_wire_answer(fd, TOTUM_EINVAL, NULL);
		close(fd);
		return TOTUM_OK;
	}
	struct tt_terms terms = {.rank = hello->rank, .nranks = hello->nranks};
	memcpy(terms.algo, hello->algo, sizeof terms.algo);
	bool taken = hello->rank >= 0 && hello->rank < me->nranks && gate->ranks[hello->rank] >= 0;
	totum_status status = tt_terms_check(me, gate->settings, &terms, taken);
	if (status) {
		tt_wire_answer(fd, status, NULL);
		close(fd);
		return status;
	}
	gate->ranks[hello->rank] = fd;
	gate->missing--;
	return TOTUM_OK;
}

/* One connection: its hello must come at once, lest a silent stranger hold up others for long. */
static totum_status answer_the_door(struct gate *gate)
{
	struct tt_hello hello;
	int fd = accept4(gate->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno == EINTR || errno == ECONNABORTED)
			return TOTUM_OK;
		return tt_fail(TOTUM_ESYSTEM, "cannot accept a rank: %s%s", strerror(errno),
			       tt_advice(errno));
	}
	uint64_t soon = tt_clock_ns() + 1000000000;
	if (!tt_wire_same_user(fd) ||
	    tt_wire_receive(fd, &hello, sizeof hello,
			    soon < gate->deadline ? soon : gate->deadline)) {
		tt_log("sent away a stranger at the rendezvous");
		close(fd);
		return TOTUM_OK;
	}
	return admit(gate, fd, &hello);
}

static bool is_here(const void *context, int rank)
{
	const struct gate *gate = context;

	return rank == 0 || gate->ranks[rank] >= 0;
}

static totum_status say_who_is_missing(const struct gate *gate)
{
	return tt_terms_missing(gate->identity->nranks, is_here, gate,
				"start all ranks on this host, or set TOTUM_LAUNCHER=none to run "
				"alone");
}

/* A rank that has said hello and hangs up before the go has died. */
static totum_status notice_the_dead(const struct gate *gate, const struct pollfd *doors,
				    const int *rank_of, int n)
{
	for (int i = 1; i < n; i++)
		if (doors[i].revents & (POLLHUP | POLLERR))
			return tt_terms_died(rank_of[i], gate->identity->nranks);
	return TOTUM_OK;
}

static totum_status wait_at_the_gate(struct gate *gate, struct pollfd *doors, int *rank_of)
{
	while (gate->missing) {
		int n = 1;
		doors[0] = (struct pollfd){.fd = gate->listener, .events = POLLIN};
		for (int rank = 1; rank < gate->identity->nranks; rank++)
			if (gate->ranks[rank] >= 0) {
				rank_of[n] = rank;
				doors[n++] = (struct pollfd){.fd = gate->ranks[rank]};
			}
		uint64_t now = tt_clock_ns();
		if (now >= gate->deadline)
			return say_who_is_missing(gate);
		int got = poll(doors, (nfds_t)n, (int)((gate->deadline - now) / 1000000 + 1));
		totum_status status = got > 0 ? notice_the_dead(gate, doors, rank_of, n) : TOTUM_OK;
		if (!status && got > 0 && doors[0].revents)
			status = answer_the_door(gate);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status gather_ranks(struct gate *gate)
{
	size_t n = (size_t)gate->identity->nranks;
	struct pollfd *doors = malloc(n * sizeof *doors);
	int *rank_of = malloc(n * sizeof *rank_of);
	totum_status status = doors && rank_of
				      ? wait_at_the_gate(gate, doors, rank_of)
				      : tt_fail_memory(n * sizeof *doors, "the rendezvous");

	free(doors);
	free(rank_of);
	return status;
}

/* The same status to every rank that is there. */
static void tell_all(const struct gate *gate, totum_status status, const int fds[2])
{
	for (int rank = 1; rank < gate->identity->nranks; rank++)
		if (gate->ranks[rank] >= 0)
			tt_wire_answer(gate->ranks[rank], status, status ? NULL : fds);
}

/* Those who have come to the door but were not let in yet hear of the failure too. */
static void tell_the_queue(const struct gate *gate, totum_status status)
{
	struct pollfd door = {.fd = gate->listener, .events = POLLIN};

	while (poll(&door, 1, 0) == 1) {
		int fd = accept4(gate->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			return;
		if (tt_wire_same_user(fd))
			tt_wire_answer(fd, status, NULL);
		close(fd);
	}
}

static totum_status collect_joined(const struct gate *gate)
{
	for (int rank = 1; rank < gate->identity->nranks; rank++) {
		totum_status status =
			tt_wire_answered(gate->ranks[rank], rank, gate->deadline, NULL);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status create(int nranks, struct tt_met *met)
{
	totum_status status = tt_segment_create(nranks, &met->segment);

	if (status)
		return status;
	status = tt_roll_create(&met->roll);
	if (status)
		close(met->segment);
	return status;
}

static totum_status receive_ranks(struct gate *gate,
				  totum_status (*join)(void *, const struct tt_met *),
				  void *context)
{
	struct tt_met met;
	totum_status status = gather_ranks(gate);

	if (!status)
		status = create(gate->identity->nranks, &met);
	if (status) {
		tell_all(gate, status, NULL);
		tell_the_queue(gate, status);
		return status;
	}
	int fds[2] = {met.segment, met.roll};
	tell_all(gate, TOTUM_OK, fds);
	status = join(context, &met);
	if (!status)
		status = collect_joined(gate);
	tell_all(gate, status, NULL);
	return status;
}

static totum_status host_the_meeting(struct gate *gate,
				     totum_status (*join)(void *, const struct tt_met *),
				     void *context)
{
	int nranks = gate->identity->nranks;

	gate->ranks = malloc((size_t)nranks * sizeof *gate->ranks);
	if (!gate->ranks)
		return tt_fail_memory((size_t)nranks * sizeof *gate->ranks, "the rendezvous");
	for (int rank = 0; rank < nranks; rank++)
		gate->ranks[rank] = -1;
	totum_status status = tt_wire_listen(gate->identity->root, &gate->listener);
	if (!status) {
		status = receive_ranks(gate, join, context);
		close(gate->listener);
	}
	for (int rank = 0; rank < nranks; rank++)
		if (gate->ranks[rank] >= 0)
			close(gate->ranks[rank]);
	free(gate->ranks);
	return status;
}

static totum_status exchange(int fd, const struct tt_identity *me,
			     const struct tt_settings *settings, uint64_t deadline,
			     totum_status (*join)(void *, const struct tt_met *), void *context)
{
	struct tt_hello hello = {.magic = tt_wire_magic, .rank = me->rank, .nranks = me->nranks};
	int fds[2];

	if (!tt_wire_same_user(fd))
		return tt_fail(TOTUM_EINVAL,
			       "the process that listens under this job's root is of another user");
	memcpy(hello.secret, me->secret, sizeof hello.secret);
	memcpy(hello.algo, settings->algo, sizeof hello.algo);
	totum_status status = tt_wire_send(fd, &hello, sizeof hello);
	if (!status || status == TOTUM_ELOST) /* it may have said why it left */
		status = tt_wire_answered(fd, 0, deadline, fds);
	if (status)
		return status;
	struct tt_met met = {.segment = fds[0], .roll = fds[1]};
	if (met.segment < 0)
		status = tt_fail(TOTUM_ESYSTEM, "no descriptor of the shared memory came; raise "
				 "the limit of open files (ulimit -n)");
	else
		status = join(context, &met);
	totum_status told = tt_wire_answer(fd, status, NULL);
	if (!status && !(status = told))
		status = tt_wire_answered(fd, 0, deadline, NULL);
	return status;
}

totum_status tt_rendezvous(const struct tt_identity *identity, const struct tt_settings *settings,
			   totum_status (*join)(void *, const struct tt_met *), void *context)
{
	uint64_t patience = tt_terms_patience(settings);
	uint64_t deadline = tt_clock_ns() + patience;
	int fd;

	if (identity->rank == 0) {
		struct gate gate = {.identity = identity,
				    .settings = settings,
				    .deadline = deadline,
				    .missing = identity->nranks - 1};
		return host_the_meeting(&gate, join, context);
	}
	totum_status status = tt_wire_connect(identity->root, deadline, &fd);
	if (status)
		return status;
	/* rank 0 is there, and has the earlier deadline: it says who is missing, whoever came */
	status = exchange(fd, identity, settings, tt_clock_ns() + patience + LAST_WORDS_NS, join,
			  context);
	close(fd);
	return status;
}
