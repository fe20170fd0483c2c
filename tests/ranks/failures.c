/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * failures - what fails leaves as little behind as what ends well: descriptors, mappings, threads
 * and memory are those of before after hundreds of jobs that did not come about, communicators
 * beyond the most that there can be, refused calls, and communicators that failed.
 *
 * ranks: 2
 */
#include "soak/census.h"

#include "ranks/buffers.h"

enum { TIMES = 30, AREAS = 4096 };

struct place {
	totum_comm *comm;
	int rank;
	uint64_t job;
	int number;
};

/* A job that fails; how is not the question here, and where ranks come late there are several. */
static void no_job(struct place *p, int rank, int nranks, const char *secret)
{
	totum_comm *made = NULL;
	char root[64];

	snprintf(root, sizeof root, "local:failures-%llx-%d", (unsigned long long)p->job,
		 p->number);
	totum_status status = totum_comm_create(rank, nranks, root, secret, &made);

	if (made || !status)
		fail("%s, and the communicator is %s: %s", totum_strerror(status),
		     made ? "made" : "NULL", status ? totum_errmsg() : "");
}

static void nobody_comes(struct place *p)
{
	setenv("TOTUM_TIMEOUT", "5ms", 1);
	p->number = 2 * p->number + p->rank;
	no_job(p, p->number % 2, 2, "alone");
	unsetenv("TOTUM_TIMEOUT");
}

static void other_sizes(struct place *p)
{
	setenv("TOTUM_TIMEOUT", "300ms", 1);
	no_job(p, p->rank, 2 + p->rank, "sizes");
	unsetenv("TOTUM_TIMEOUT");
}

static void other_secrets(struct place *p)
{
	setenv("TOTUM_TIMEOUT", "30ms", 1);
	no_job(p, p->rank, 2, p->rank ? "mine" : "yours");
	unsetenv("TOTUM_TIMEOUT");
}

/* Everybody meets, and only then does the setting turn out to be nonsense. */
static void unknown_algorithm(struct place *p)
{
	setenv("TOTUM_ALGO", "nonsense", 1);
	no_job(p, p->rank, 2, "algorithm");
	unsetenv("TOTUM_ALGO");
}

static void wrong_variable(struct place *p)
{
	setenv("TOTUM_WAIT", "for ever", 1);
	no_job(p, p->rank, 2, "variable");
	unsetenv("TOTUM_WAIT");
}

static void too_large(struct place *p)
{
	totum_window *window = NULL;
	void *memory;

	refused(totum_alloc(p->comm, (size_t)1 << 60, &memory), TOTUM_EMEMORY);
	refused(totum_window_create(p->comm, (size_t)1 << 60, &window), TOTUM_EMEMORY);
}

/* Refused requests and plans of every size of their bookkeeping. */
static void refused_calls(struct place *p)
{
	size_t counts[2] = {1, 2}, lapping[2] = {0, 0};
	totum_request *request = NULL;
	totum_plan *plan = NULL;
	char bytes[8] = {0};

	refused(totum_iallgatherv(bytes, 7, bytes + 4, counts, NULL, TOTUM_U8, p->comm, &request),
		TOTUM_EINVAL);
	refused(totum_allgatherv_plan(bytes, counts[p->rank], bytes + 4, counts, lapping, TOTUM_U8,
				      p->comm, &plan),
		TOTUM_EINVAL);
	refused(totum_ialltoallv(bytes, counts, NULL, bytes, counts, NULL, TOTUM_U8, p->comm,
				 &request),
		TOTUM_EINVAL);
	refused(totum_gatherv_plan(bytes, 1, bytes, NULL, NULL, TOTUM_U8, p->rank, p->comm, &plan),
		TOTUM_EINVAL);
	if (request || plan)
		fail("a refused call has left something to be waited for");
}

static void failed_communicator(struct place *p)
{
	int own = p->rank, all[2];
	totum_request *request;
	totum_comm *comm;

	ok(totum_comm_dup(p->comm, &comm));
	ok(totum_iallgather(&own, all, 1, TOTUM_I32, comm, &request));
	ok(totum_wait(request));
	ok(totum_barrier(p->comm));
	totum_status status =
		p->rank ? totum_allgather(&own, all, 1, TOTUM_I32, comm) : totum_barrier(comm);

	refused(status, TOTUM_EMISMATCH);
	ok(totum_comm_free(comm));
}

static const struct {
	const char *name;
	void (*fail)(struct place *p);
	bool meets; /* processes, which threads cannot */
} failures[] = {
	{"nobody comes", nobody_comes, true},
	{"other sizes", other_sizes, true},
	{"other secrets", other_secrets, true},
	{"unknown algorithm", unknown_algorithm, true},
	{"wrong variable", wrong_variable, true},
	{"too large", too_large, false},
	{"refused calls", refused_calls, false},
	{"failed communicator", failed_communicator, false},
};

/* As many communicators as there can be; the next one is refused on both ranks; all are freed. */
static void too_many(totum_comm *comm)
{
	totum_comm **made = calloc(AREAS, sizeof(totum_comm *));
	int n = 0;

	step("failures:too many");
	while (!totum_comm_dup(comm, &made[n]))
		if (++n == AREAS)
			fail("more than %d communicators", AREAS);
	refused(totum_comm_dup(comm, &made[n]), TOTUM_EUNSUPPORTED);
	if (n < AREAS / 2)
		fail("only %d communicators", n);
	for (int i = 0; i < n; i++)
		ok(totum_comm_free(made[i]));
	free(made);
}

static void all(struct place *p, int times)
{
	bool threads = harness_ranks[1].comm;

	for (int i = 0; i < times; i++)
		for (size_t k = 0; k < sizeof failures / sizeof *failures; k++) {
			step("failures:%s:%d", failures[k].name, i);
			p->number = i * 100 + (int)k;
			ok(totum_barrier(p->comm));
			if (!failures[k].meets || !threads)
				failures[k].fail(p);
			ok(totum_barrier(p->comm));
		}
	if (!SLOWNESS)
		too_many(p->comm);
}

static void test(totum_comm *comm)
{
	struct place p = {.comm = comm, .rank = totum_comm_rank(comm), .job = now_ns()};

	ok(totum_broadcast(&p.job, &p.job, 1, TOTUM_U64, 0, comm));
	all(&p, 5);
	ok(totum_barrier(comm));
	struct census before = census_take();

	p.job++;
	all(&p, TIMES);
	ok(totum_barrier(comm));
	struct census after = census_take();

	step("failures:census");
	census_compare(&before, &after);
}
