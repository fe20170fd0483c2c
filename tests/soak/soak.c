/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * soak - random work on communicators that come and go, on ranks of which some kill themselves; the
 * others shrink and go on.  Started by soak.sh, a process a rank:
 *
 *   SEED=.. SOAK_SECONDS=.. SOAK_VICTIMS="1 4" [SOAK_DIE_MS=..] [SOAK_DIE_AFTER_US=..] soak
 * --create RANK NRANKS ROOT
 *
 * The work goes in rounds.  Rank 0 of the world says with which number a round begins, from which
 * all draw the same communicators and the same work on each; between rounds nothing is held, so
 * that a census can be taken.  The only errors that may be seen are TOTUM_ELOST that names a
 * victim, and TOTUM_EABORTED: a rank that has seen a loss aborts all its communicators, so that
 * nobody waits for it.  The victims that are named must be gone after the shrink.
 *
 * SOAK_DIE_MS kills this rank that long after its start, SOAK_DIE_AFTER_US that long after it has
 * seen a failure: in the middle of a shrink.
 */
#include "soak/census.h"
#include "soak/flight.h"

#include <time.h>

enum { CREWS = 4, STEPS = 40, WARM = 3 /* rounds, before a census counts */ };

struct soak {
	totum_comm *world;
	struct crew crews[CREWS]; /* the first is the world */
	bool victims[RANKS], named[RANKS];
	uint64_t own, end_ns, rounds, calls, shrinks;
	int warm; /* rounds since the start, or the last shrink */
	struct census before;
};

static long number(const char *variable, long fallback)
{
	const char *text = getenv(variable);

	return text && *text ? strtol(text, NULL, 10) : fallback;
}

/* The kernel sends the signal: this process need not get to do anything. */
static void die_in(long microseconds)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec when = {
		.it_value = {microseconds / 1000000, microseconds % 1000000 * 1000 + 1}};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
		fail("cannot arm the timer that kills this rank");
}

/* --- failures -------------------------------------------------------------------------------- */

/* What may be seen on a crew's communicator; a victim that is named must be gone later. */
static void expect_failure(struct soak *soak, const struct crew *crew, totum_status status)
{
	const char *sentence = totum_errmsg();
	int rank;

	if (status == TOTUM_EABORTED)
		return;
	if (status == TOTUM_ELOST && sscanf(sentence, "rank %d", &rank) == 1 && rank >= 0 &&
	    rank < crew->nranks && strstr(sentence, "has died")) {
		int name = crew->names[rank]; /* -1: lost before it said so */
		if (name >= 0)
			soak->named[name] = true;
		if (name < 0 || soak->victims[name])
			return;
	}
	fail("not an expected failure: %s: %s", totum_strerror(status), sentence);
}

/* --- communicators --------------------------------------------------------------------------- */

/* Everybody's name; where they are known already, they must be the same. */
static totum_status crew_open(struct crew *crew, int name)
{
	int names[RANKS];
	totum_status status = totum_allgather(&name, names, 1, TOTUM_I32, crew->comm);

	for (int r = 0; r < crew->nranks && !status; r++) {
		if (crew->names[r] >= 0 && crew->names[r] != names[r])
			fail("rank %d of a communicator is %d instead of %d", r, names[r],
			     crew->names[r]);
		crew->names[r] = names[r];
	}
	return status;
}

static struct crew crew_of(totum_comm *comm)
{
	struct crew crew = {
		.comm = comm, .rank = totum_comm_rank(comm), .nranks = totum_comm_nranks(comm)};

	for (int r = 0; r < RANKS; r++)
		crew.names[r] = -1;
	return crew;
}

static totum_status crew_configure(struct crew *crew, uint64_t *random)
{
	crew->forced = below(random, 4) == 0;
	if (crew->forced)
		ok(totum_comm_configure(crew->comm, below(random, 2) ? "algo=ring" : "algo=bruck"));
	if (below(random, 6) == 0)
		ok(totum_comm_configure(crew->comm, "progress=thread"));
	return TOTUM_OK;
}

static int part_of(uint64_t deal, int rank, int parts)
{
	return (int)(mix(deal + (uint64_t)rank) % (uint64_t)(parts + 1)) - (parts > 1);
}

/* A copy, or parts of the world in which the ranks come as before or the other way round; some
 * belong to none. */
static totum_status muster(struct soak *soak, int slot, uint64_t *random, int *part)
{
	struct crew *world = &soak->crews[0], *crew = &soak->crews[slot];
	int n = world->nranks, parts = (int)below(random, 4), at = 0;
	bool copy = parts == 0, reversed = below(random, 2) && !copy;
	uint64_t deal = mix(*random);
	totum_comm *comm = NULL;

	*part = copy ? 0 : part_of(deal, world->rank, parts);
	step("muster:n=%d:slot=%d:parts=%d:reversed=%d", n, slot, parts, reversed);
	totum_status status = copy ? totum_comm_dup(world->comm, &comm)
				   : totum_comm_split(world->comm, *part,
						      reversed ? -world->rank : world->rank, &comm);
	if (status || !comm)
		return status;
	*crew = crew_of(comm);
	for (int i = 0; i < n; i++) {
		int rank = reversed ? n - 1 - i : i;
		if (copy || part_of(deal, rank, parts) == *part)
			crew->names[at++] = world->names[rank];
	}
	if (at != crew->nranks)
		fail("a communicator has %d ranks instead of %d", crew->nranks, at);
	return crew_open(crew, world->names[world->rank]);
}

static void dismiss(struct soak *soak, bool failed)
{
	for (int slot = CREWS - 1; slot > 0; slot--) {
		struct crew *crew = &soak->crews[slot];
		if (crew->comm && failed)
			ok(totum_comm_abort(crew->comm));
		if (crew->comm)
			ok(totum_comm_free(crew->comm));
		*crew = (struct crew){.comm = NULL};
	}
	if (failed)
		ok(totum_comm_abort(soak->world));
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* The crew on whose communicator something failed, NULL: all went well. */
static struct crew *play(struct soak *soak, uint64_t random, totum_status *status)
{
	uint64_t randoms[CREWS];
	int parts[CREWS] = {0};

	for (int slot = 1; slot < CREWS; slot++) {
		*status = muster(soak, slot, &random, &parts[slot]);
		if (*status)
			return soak->crews[slot].comm ? &soak->crews[slot] : &soak->crews[0];
	}
	for (int slot = 0; slot < CREWS; slot++) {
		randoms[slot] =
			mix(random + (uint64_t)slot * 1000003 + (uint64_t)(parts[slot] + 1));
		if (slot && soak->crews[slot].comm)
			crew_configure(&soak->crews[slot], &randoms[slot]);
	}
	for (int i = 0; i < STEPS; i++) {
		int slot = (int)below(&random, CREWS);
		struct crew *crew = &soak->crews[slot];
		if (!crew->comm)
			continue;
		*status = crew_work(crew, &randoms[slot], &soak->own);
		soak->calls++;
		if (*status)
			return crew;
	}
	return NULL;
}

struct order {
	uint64_t random;
	int32_t stop;
};

static void take_census(struct soak *soak)
{
	struct census now = census_take();

	if (++soak->warm <= WARM)
		soak->before = now;
	else
		census_compare(&soak->before, &now);
}

static totum_status shrink_once(struct soak *soak, int name)
{
	totum_comm *next;

	step("shrink:n=%d", totum_comm_nranks(soak->world));
	ok(totum_comm_shrink(soak->world, &next));
	self->comm = next;
	ok(totum_comm_free(soak->world));
	soak->world = next;
	soak->warm = 0;
	soak->shrinks++;
	soak->crews[0] = crew_of(next);
	return crew_open(&soak->crews[0], name);
}

/* Until the survivors have told each other who they are; those who were named must be missing. */
static void shrink(struct soak *soak)
{
	struct crew *world = &soak->crews[0];
	int name = world->names[world->rank], before = world->nranks;
	totum_status status;

	while ((status = shrink_once(soak, name)))
		expect_failure(soak, world, status);
	for (int r = 0; r < world->nranks; r++)
		if (soak->named[world->names[r]])
			fail("rank %d was reported as dead and has survived", world->names[r]);
	if (world->nranks >= before)
		fail("%d ranks of %d survive a failure", world->nranks, before);
}

static void recover(struct soak *soak, const struct crew *crew, totum_status status)
{
	long after_us = number("SOAK_DIE_AFTER_US", 0);

	expect_failure(soak, crew, status);
	if (after_us)
		die_in(after_us);
	dismiss(soak, true);
	shrink(soak);
}

/* False when the time is up. */
static bool round_of(struct soak *soak)
{
	struct crew *world = &soak->crews[0];
	struct order order = {soak->own = mix(soak->own), now_ns() >= soak->end_ns};

	step("round %llu", (unsigned long long)soak->rounds);
	totum_status status =
		totum_broadcast(&order, &order, sizeof order, TOTUM_U8, 0, soak->world);
	struct crew *failed = status ? world : NULL;
	if (!status && order.stop)
		return false;
	if (!status)
		failed = play(soak, order.random, &status);
	if (failed) {
		recover(soak, failed, status);
		return true;
	}
	dismiss(soak, false);
	step("census %llu", (unsigned long long)soak->rounds++);
	status = totum_barrier(soak->world); /* now nobody holds anything */
	if (status)
		recover(soak, world, status);
	else
		take_census(soak);
	return true;
}

static void test(totum_comm *comm)
{
	struct soak soak = {.world = comm};
	long seconds = number("SOAK_SECONDS", 20), die_ms = number("SOAK_DIE_MS", 0);
	const char *victims = getenv("SOAK_VICTIMS");
	int name = totum_comm_rank(comm);

	alarm((unsigned)seconds + 180);
	for (const char *at = victims ? victims : ""; *at; at++)
		if (*at >= '0' && *at < '0' + RANKS)
			soak.victims[*at - '0'] = true;
	if (totum_comm_nranks(comm) > RANKS)
		skip("at most %d ranks", RANKS);
	mallopt(M_ARENA_MAX,
		1); /* the arenas of threads are never trimmed, which would look like growth */
	soak.own = mix(seed() + (uint64_t)name);
	soak.end_ns = now_ns() + (uint64_t)seconds * 1000000000u;
	if (die_ms)
		die_in(die_ms * 1000);
	struct census start = census_take();
	soak.crews[0] = crew_of(comm);
	ok(crew_open(&soak.crews[0], name));
	while (round_of(&soak))
		;
	struct census end = census_take();
	if (end.descriptors > start.descriptors)
		fail("descriptors %ld -> %ld", start.descriptors, end.descriptors);
	printf("rank %d, now %d of %d: %llu rounds, %llu steps, %llu shrinks\n", name,
	       totum_comm_rank(soak.world), totum_comm_nranks(soak.world),
	       (unsigned long long)soak.rounds, (unsigned long long)soak.calls,
	       (unsigned long long)soak.shrinks);
}
