/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elsewhere - what is under way on one communicator goes on while its rank waits in another one.
 * ranks: 2 3 5
 *
 * On one communicator every rank begins something that needs all of them to come back to it: half
 * of them wait for that and then for a call of another communicator, the other half the other way
 * round.  Large things are staged, so that nobody can take them without the sender's help.  And a
 * thread whose communicator is helped by another thread of its rank is never refused.
 */
#include "ranks/buffers.h"

enum { COUNT = 400000, ROUNDS = 300 };

__attribute__((constructor)) static void stage(void)
{
	setenv("TOTUM_SINGLE_COPY", "off", 1);
}

struct place {
	totum_comm *here, *there; /* where is waited; what goes on elsewhere */
	int n, rank, right, left;
	unsigned char *send, *recv;
};

/* --- what goes on elsewhere ------------------------------------------------------------------ */

enum thing { MESSAGES, GATHER, RING, THINGS };
static const char *const things[] = {"messages", "gather", "ring"};

static int begin(struct place *place, enum thing thing, totum_request *requests[2])
{
	totum_comm *there = place->there;

	if (thing == MESSAGES) {
		ok(totum_isend(place->send, COUNT, TOTUM_U8, place->right, 4, there, &requests[0]));
		ok(totum_irecv(place->recv, COUNT, TOTUM_U8, place->left, 4, there, NULL,
			       &requests[1]));
		return 2;
	}
	ok(totum_comm_configure(there, thing == RING ? "algo=ring" : "algo=auto"));
	ok(totum_iallgather(place->send, place->recv, COUNT, TOTUM_U8, there, &requests[0]));
	return 1;
}

static void expect_all(const struct place *place, enum thing thing)
{
	for (int r = 0; r < (thing == MESSAGES ? 1 : place->n); r++) {
		int from = thing == MESSAGES ? place->left : r;
		for (size_t i = 0; i < COUNT; i++)
			if (place->recv[(size_t)r * COUNT + i] != (unsigned char)(from + 1))
				fail("byte %zu of rank %d is %d", i, from,
				     place->recv[(size_t)r * COUNT + i]);
	}
}

/* --- what is waited for here ----------------------------------------------------------------- */

static void wait_barrier(struct place *place)
{
	ok(totum_barrier(place->here));
}

static void wait_ring(struct place *place)
{
	int mine = 1, all[HARNESS_RANKS];

	ok(totum_comm_configure(place->here, "algo=ring"));
	ok(totum_allgather(&mine, all, 1, TOTUM_I32, place->here));
}

static void wait_message(struct place *place)
{
	int mine = place->rank, got = -1;

	ok(totum_send(&mine, 1, TOTUM_I32, place->right, 2, place->here));
	ok(totum_recv(&got, 1, TOTUM_I32, place->left, 2, place->here, NULL));
	if (got != place->left)
		fail("got %d from rank %d", got, place->left);
}

static void wait_tests(struct place *place)
{
	totum_request *request;
	int done = 0;

	ok(totum_ibarrier(place->here, &request));
	while (!done)
		ok(totum_test(request, &done));
}

static void wait_blocks(struct place *place)
{
	int mine = 1, all[HARNESS_RANKS];
	totum_request *request;

	ok(totum_iallgather(&mine, all, 1, TOTUM_I32, place->here, &request));
	for (int r = 0; r < place->n; r++)
		ok(totum_wait_block(request, r));
	ok(totum_wait(request));
}

static void wait_dup(struct place *place)
{
	totum_comm *more;

	ok(totum_comm_dup(place->here, &more));
	ok(totum_comm_free(more));
}

static const struct {
	const char *name;
	void (*wait)(struct place *place);
} waits[] = {
	{"barrier", wait_barrier}, {"ring", wait_ring},     {"message", wait_message},
	{"tests", wait_tests},     {"blocks", wait_blocks}, {"dup", wait_dup},
};
enum { WAITS = sizeof waits / sizeof *waits };

static struct place place_new(totum_comm *comm)
{
	struct place place = {.n = totum_comm_nranks(comm), .rank = totum_comm_rank(comm)};

	place.right = (place.rank + 1) % place.n;
	place.left = (place.rank + place.n - 1) % place.n;
	place.send = malloc(COUNT);
	place.recv = malloc((size_t)place.n * COUNT);
	memset(place.send, place.rank + 1, COUNT);
	ok(totum_comm_dup(comm, &place.here));
	ok(totum_comm_dup(comm, &place.there));
	ok(totum_comm_configure(place.here, "timeout=60s"));
	ok(totum_comm_configure(place.there, "timeout=60s"));
	return place;
}

static void place_free(struct place *place)
{
	ok(totum_comm_free(place->here));
	ok(totum_comm_free(place->there));
	free(place->send);
	free(place->recv);
}

static void both(totum_comm *comm, enum thing thing, int wait)
{
	struct place place = place_new(comm);
	totum_request *requests[2];

	memset(place.recv, 0, (size_t)place.n * COUNT);
	int count = begin(&place, thing, requests);
	if (place.rank % 2)
		waits[wait].wait(&place);
	for (int i = 0; i < count; i++)
		ok(totum_wait(requests[i]));
	expect_all(&place, thing);
	if (place.rank % 2 == 0)
		waits[wait].wait(&place);
	place_free(&place);
}

/* --- threads --------------------------------------------------------------------------------- */

struct colleague {
	struct harness_rank *self;
	struct place *place;
};

/* Something is under way whenever this thread is out of the library; communicators come and go. */
static void *work_there(void *argument)
{
	struct colleague *colleague = argument;
	struct place *place = colleague->place;
	int in, out = 1;

	self = colleague->self;
	for (int i = 0; i < ROUNDS; i++) {
		totum_comm *more;
		totum_request *requests[3];
		ok(totum_comm_dup(place->there, &more));
		ok(totum_irecv(&in, 1, TOTUM_I32, place->left, 1, more, NULL, &requests[0]));
		ok(totum_iallgather(place->send, place->recv, 1000, TOTUM_U8, more, &requests[1]));
		ok(totum_isend(&out, 1, TOTUM_I32, place->right, 1, more, &requests[2]));
		for (int k = 0; k < 3; k++)
			ok(totum_wait(requests[k]));
		ok(totum_comm_free(more));
	}
	return NULL;
}

static void threads(totum_comm *comm)
{
	struct place place = place_new(comm);
	struct colleague colleague = {self, &place};
	totum_request *late;
	pthread_t thread;
	int in, out = 7;

	/* as long as this is under way no call is a plain wait */
	ok(totum_irecv(&in, 1, TOTUM_I32, place.left, 9, comm, NULL, &late));
	if (pthread_create(&thread, NULL, work_there, &colleague))
		fail("cannot start a thread");
	for (int i = 0; i < ROUNDS; i++)
		ok(totum_barrier(place.here));
	pthread_join(thread, NULL);
	ok(totum_send(&out, 1, TOTUM_I32, place.right, 9, comm));
	ok(totum_wait(late));
	if (in != 7)
		fail("got %d", in);
	place_free(&place);
}

static void test(totum_comm *comm)
{
	for (enum thing thing = MESSAGES; thing < THINGS; thing++)
		for (int wait = 0; wait < WAITS; wait++)
			if (step("%s, waits in %s", things[thing], waits[wait].name))
				both(comm, thing, wait);
	if (step("threads"))
		threads(comm);
}
