/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scarce - what can be refused for want of memory is refused on every rank whom it concerns, by one
 * sentence, and all else goes on.  ranks: 1 3
 *
 * Here nothing is scarce, and nothing is refused.  tests/cli/scarce.sh makes something scarce and
 * says what must fail then: REFUSED holds any of split, alloc and window; of an alloc, only on the
 * rank REFUSED_RANK if that is set.
 */
#include "ranks/buffers.h"

enum { LARGE = 64 << 20 };

static bool expected(const char *what)
{
	const char *refused_ones = getenv("REFUSED");

	return refused_ones && strstr(refused_ones, what);
}

static void copy_world(totum_comm *comm, bool must_fail)
{
	totum_comm *copy = NULL;
	totum_status status = totum_comm_dup(comm, &copy);

	if (must_fail) {
		if (copy || (status != TOTUM_ESYSTEM && status != TOTUM_EMEMORY))
			fail("%s, communicator %s", totum_strerror(status), copy ? "made" : "NULL");
		refused(status, status);
		return;
	}
	ok(status);
	still_works(copy);
	ok(totum_comm_free(copy));
}

/* As often as TIMES says: what fails every time must not cost anything each time. */
static void split(totum_comm *comm)
{
	const char *times = getenv("TIMES");

	for (int i = times ? atoi(times) : 1; i > 0; i--)
		copy_world(comm, expected("split"));
}

/* What was scarce is there again. */
static void split_again(totum_comm *comm)
{
	copy_world(comm, false);
}

static void alloc(totum_comm *comm)
{
	const char *only = getenv("REFUSED_RANK");
	bool here = !only || atoi(only) == totum_comm_rank(comm);
	unsigned char *memory = NULL;
	totum_status status = totum_alloc(comm, LARGE, (void **)&memory);

	if (expected("alloc") && here) {
		refused(status, status == TOTUM_ESYSTEM ? status : TOTUM_EMEMORY);
		if (memory)
			fail("memory is set");
		return;
	}
	ok(status);
	for (size_t i = 0; i < LARGE; i += 4096)
		memory[i] = 1;
	ok(totum_free(comm, memory));
}

static void window(totum_comm *comm)
{
	totum_window *made = NULL;
	totum_status status = totum_window_create(comm, LARGE, &made);

	if (expected("window")) {
		refused(status, TOTUM_EMEMORY);
		if (made)
			fail("the window is set");
		return;
	}
	ok(status);
	for (size_t i = 0; i < LARGE && totum_comm_rank(comm) == 0; i += 4096)
		((unsigned char *)totum_window_data(made))[i] = 1;
	ok(totum_window_free(made));
}

static void test(totum_comm *comm)
{
	static const struct {
		const char *name;
		void (*call)(totum_comm *comm);
	} calls[] = {{"split", split},
		     {"alloc", alloc},
		     {"window", window},
		     {"split again", split_again}};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		step("scarce:n=%d:%s", totum_comm_nranks(comm), calls[i].name);
		calls[i].call(comm);
		still_works(comm);
	}
}
