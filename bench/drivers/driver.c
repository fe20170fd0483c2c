/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver - measures one collective of one library, again and again, as bench/compare asks for it.
 *
 * Every rank holds a connection to bench/compare and blocks in it while others are measured.  To
 *   measure COLLECTIVE COUNT MEMORY SEED CALLS BATCHES FRESH
 * it answers one of
 *   ok S E ...   when it started and ended, in nanoseconds of the clock that all ranks share:
 *                BATCHES times CALLS calls back to back on inputs that stay as they are, then FRESH
 *                single calls whose inputs were written anew just before
 *   none         the library has no such memory for this call
 *   wrong TEXT   the result differs from what it must be
 *   failed TEXT  the library refuses; the rank ends
 * Before the first and after the last of the calls every byte of the result is checked.  A meeting
 * of all ranks precedes each start.  "end" leaves the job.
 */
#include "library.h"
#include "meeting.h"
#include "pattern.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 4096, PAGE = 4096, SPANS_MAX = 64 };

struct span {
	long long start, end;
};

struct order {
	struct call call;
	uint32_t seed;
	long calls, batches, fresh;
};

static const char *const collective_names[COLLECTIVES] = {
	"allgather", "reduce_scatter", "allreduce", "broadcast", "alltoall", "barrier",
};
static const char *const memory_names[MEMORIES] = {
	"private", "shared", "window", "plain-copy", "streamed-copy", "flags", "ring", "chain",
};

static int control = -1;
static struct job job;
static struct {
	void *memory;
	size_t bytes;
} send_buffer, recv_buffer;

static void say(const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = send(control, text, left, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(1);
		text += n;
		left -= (size_t)n;
	}
}

/* The next line without its end; false when bench/compare is gone.  Lines come one at a time. */
static bool hear(char line[LINE])
{
	size_t have = 0;

	while (have == 0 || line[have - 1] != '\n') {
		ssize_t n = have < LINE - 1 ? read(control, line + have, LINE - 1 - have) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	line[have - 1] = '\0';
	return true;
}

void driver_fail(const char *format, ...)
{
	char text[LINE] = "failed ";
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, sizeof text - used - 1, format, args);
	va_end(args);
	for (char *at = text; *at; at++)
		if (*at == '\n')
			*at = ' ';
	strcat(text, "\n");
	if (control >= 0)
		say(text);
	else
		fputs(text, stderr);
	_exit(1);
}

static void connect_control(void)
{
	const char *path = getenv("COMPARE_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (!path || strlen(path) >= sizeof address.sun_path)
		driver_fail(
			"COMPARE_SOCKET names no socket: this program is started by bench/compare");
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
		driver_fail("cannot connect to bench/compare: %s", strerror(errno));
	control = fd;
}

static size_t send_bytes_of(const struct call *call)
{
	switch (call->what) {
	case ALLGATHER:
		return call->count;
	case REDUCE_SCATTER:
		return call->count * (size_t)job.nranks * sizeof(float);
	case ALLREDUCE:
		return call->count * sizeof(float);
	case ALLTOALL:
		return call->count * (size_t)job.nranks;
	default:
		return 0;
	}
}

static size_t recv_bytes_of(const struct call *call)
{
	switch (call->what) {
	case ALLGATHER:
	case ALLTOALL:
		return call->count * (size_t)job.nranks;
	case REDUCE_SCATTER:
	case ALLREDUCE:
		return call->count * sizeof(float);
	case BROADCAST:
		return call->count;
	default:
		return 0;
	}
}

static void *private_memory(void **memory, size_t *have, size_t bytes)
{
	if (bytes <= *have)
		return *memory;
	free(*memory);
	*have = (bytes + PAGE - 1) / PAGE * PAGE;
	*memory = aligned_alloc(PAGE, *have);
	if (!*memory)
		driver_fail("no memory for a buffer of %zu bytes: ask for smaller --sizes", bytes);
	memset(*memory, 0, *have);
	return *memory;
}

static bool find_memory(struct call *call)
{
	size_t send_bytes = send_bytes_of(call), recv_bytes = recv_bytes_of(call);

	if (call->memory == PRIVATE) {
		call->send = private_memory(&send_buffer.memory, &send_buffer.bytes, send_bytes);
		call->recv = private_memory(&recv_buffer.memory, &recv_buffer.bytes, recv_bytes);
	} else if (!library_memory(call, send_bytes, recv_bytes)) {
		return false;
	}
	if (call->what == BROADCAST)
		call->send = call->recv;
	return true;
}

static void fill(const struct call *call, uint32_t seed)
{
	switch (call->what) {
	case ALLGATHER:
		pattern_bytes(call->send, call->count, job.rank, 0, seed);
		break;
	case REDUCE_SCATTER:
		pattern_floats(call->send, call->count * (size_t)job.nranks, job.rank, seed);
		break;
	case ALLREDUCE:
		pattern_floats(call->send, call->count, job.rank, seed);
		break;
	case BROADCAST:
		if (job.rank == 0)
			pattern_bytes(call->send, call->count, 0, 0, seed);
		break;
	case ALLTOALL:
		for (int to = 0; to < job.nranks; to++)
			pattern_bytes((char *)call->send + (size_t)to * call->count, call->count,
				      job.rank, to, seed);
		break;
	default:
		break;
	}
}

/* The index of the first element of recv that is wrong; SIZE_MAX when none is. */
static size_t first_wrong(const struct call *call, uint32_t seed)
{
	size_t count = call->count, at = count;
	int from = 0, sources = call->what == ALLGATHER || call->what == ALLTOALL ? job.nranks : 1;

	if (call->what == BARRIER)
		return SIZE_MAX;
	if (call->what == REDUCE_SCATTER || call->what == ALLREDUCE) {
		size_t first = call->what == ALLREDUCE ? 0 : count * (size_t)job.rank;

		at = pattern_check_sums(call->recv, count, first, job.nranks, seed);
		return at < count ? at : SIZE_MAX;
	}
	for (; from < sources; from++) {
		const char *block = (const char *)call->recv + (size_t)from * count;

		at = pattern_check_bytes(block, count, from, call->what == ALLTOALL ? job.rank : 0,
					 seed);
		if (at < count)
			return (size_t)from * count + at;
	}
	return SIZE_MAX;
}

/* false, and the answer given, when something is wrong. */
static bool check(const struct order *order, uint32_t seed)
{
	size_t at = first_wrong(&order->call, seed);
	char text[LINE];

	if (at == SIZE_MAX)
		return true;
	snprintf(text, sizeof text,
		 "wrong %s of count %zu, %s memory, seed %u: element %zu of rank %d's result\n",
		 collective_names[order->call.what], order->call.count,
		 memory_names[order->call.memory], (unsigned)seed, at, job.rank);
	say(text);
	return false;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void time_batch(const struct order *order, struct span *span)
{
	meeting();
	span->start = now();
	for (long i = 0; i < order->calls; i++)
		library_call(&order->call);
	span->end = now();
}

static void time_fresh(const struct order *order, uint32_t seed, struct span *span)
{
	fill(&order->call, seed);
	meeting();
	span->start = now();
	library_call(&order->call);
	span->end = now();
	meeting(); /* nobody writes the next inputs into a window before all have done */
}

static void tell(const struct span spans[], long count)
{
	char answer[LINE] = "ok";
	size_t used = strlen(answer);

	for (long i = 0; i < count; i++)
		used += (size_t)snprintf(answer + used, sizeof answer - used, " %lld %lld",
					 spans[i].start, spans[i].end);
	strcat(answer, "\n");
	say(answer);
}

static void measure(struct order *order)
{
	struct span spans[SPANS_MAX];
	uint32_t seed = order->seed;

	if (!find_memory(&order->call)) {
		say("none\n");
		return;
	}
	library_prepare(&order->call);
	meeting();
	fill(&order->call, seed);
	meeting();
	library_call(&order->call);
	bool right = check(order, seed);
	meeting();
	for (long i = 0; i < order->batches; i++)
		time_batch(order, &spans[i]);
	for (long i = 0; i < order->fresh; i++)
		time_fresh(order, ++seed, &spans[order->batches + i]);
	if (right && check(order, seed))
		tell(spans, order->batches + order->fresh);
}

static int find(const char *name, const char *const names[], int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	driver_fail(
		"bench/compare asks for \"%s\", which this driver does not know: build both anew",
		name);
}

static struct order parse(const char *line)
{
	struct order order = {.call.job = &job};
	char what[32], memory[32];

	if (sscanf(line, "measure %31s %zu %31s %u %ld %ld %ld", what, &order.call.count, memory,
		   &order.seed, &order.calls, &order.batches, &order.fresh) != 7 ||
	    order.batches + order.fresh > SPANS_MAX)
		driver_fail("bench/compare asks for \"%s\", which this driver does not understand",
			    line);
	order.call.what = (enum collective)find(what, collective_names, COLLECTIVES);
	order.call.memory = (enum memory)find(memory, memory_names, MEMORIES);
	return order;
}

int driver_run(void)
{
	char line[LINE];

	/* a stopped rank must not outlive a launcher that was killed */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	connect_control();
	library_start(&job);
	if (!meeting_open(getenv("COMPARE_MEETING"), job.nranks))
		driver_fail("cannot map the file named by COMPARE_MEETING: %s", strerror(errno));
	snprintf(line, sizeof line, "hello %d %d %ld %s\n", job.rank, job.nranks, (long)getpid(),
		 job.version);
	say(line);
	while (hear(line) && strcmp(line, "end") != 0) {
		struct order order = parse(line);

		measure(&order);
	}
	library_end();
	return 0;
}
