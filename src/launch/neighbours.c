/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours - a local socket a rank, whose name nobody can guess, and a knock at the lowest one. */
#include "launch/neighbours.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <xxhash.h>

struct belief {
	uint64_t where;    /* ranks that differ in this need not try */
	uint64_t name[2];  /* random */
};

static uint64_t hash_file(const char *path, uint64_t seed)
{
	char text[128] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		ssize_t got = read(fd, text, sizeof text);
		close(fd);
		return XXH3_64bits_withSeed(text, got > 0 ? (size_t)got : 0, seed);
	}
	return seed;
}

static struct belief believe(void)
{
	struct belief belief = {0};
	struct stat net = {0};
	uint64_t ids[3];

	stat("/proc/self/ns/net", &net);
	ids[0] = (uint64_t)net.st_dev;
	ids[1] = (uint64_t)net.st_ino;
	ids[2] = (uint64_t)geteuid();
	belief.where = hash_file("/proc/sys/kernel/random/boot_id", XXH3_64bits(ids, sizeof ids));
	return belief;
}

static socklen_t address_of(const struct belief *belief, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* a leading zero byte: no file */
	int length = snprintf(out->sun_path + 1, sizeof out->sun_path - 1,
			      "totum-%016" PRIx64 "%016" PRIx64, belief->name[0], belief->name[1]);

	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static totum_status listen_as(const struct belief *belief, int *out)
{
	struct sockaddr_un address;
	socklen_t length = address_of(belief, &address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) || listen(fd, SOMAXCONN)) {
		int error = errno;
		if (fd >= 0)
			close(fd);
		return tt_fail(TOTUM_ESYSTEM, "cannot open a local socket: %s%s", strerror(error),
			       tt_advice(error));
	}
	*out = fd;
	return TOTUM_OK;
}

/* A listener's backlog answers for it, so that nobody need be awake. */
static bool reaches(const struct belief *belief)
{
	struct sockaddr_un address;
	socklen_t length = address_of(belief, &address), size = sizeof(struct ucred);
	struct ucred who = {0};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	bool reached = !connect(fd, (struct sockaddr *)&address, length) &&
		       !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) &&
		       who.uid == geteuid();
	close(fd);
	return reached;
}

/* The lowest rank that believes to be where this one is, if it is there. */
static int find_leader(const struct belief *beliefs, int rank)
{
	int first = 0;

	while (beliefs[first].where != beliefs[rank].where)
		first++;
	return first == rank || reaches(&beliefs[first]) ? first : rank;
}

static totum_status agree(const struct tt_identity *identity, struct tt_exchange *exchange,
			  struct belief *beliefs, struct tt_neighbours *out)
{
	int rank = identity->rank, leader;
	struct belief mine = believe();

	if (getrandom(mine.name, sizeof mine.name, 0) != sizeof mine.name)
		return tt_fail(TOTUM_ESYSTEM, "the system gives no random bytes: %s",
			       strerror(errno));
	int fd = -1;
	totum_status status = listen_as(&mine, &fd);
	if (status)
		return status;
	status = exchange->allgather(exchange, &mine, sizeof mine, beliefs);
	if (!status) {
		leader = find_leader(beliefs, rank);
		status = exchange->allgather(exchange, &leader, sizeof leader, out->leaders);
	}
	close(fd);
	if (status)
		return status;
	for (int r = 0; r < identity->nranks; r++) {
		out->index += r < rank && out->leaders[r] == leader;
		out->n += out->leaders[r] == leader;
	}
	snprintf(out->name, sizeof out->name, "host %016" PRIx64 "%016" PRIx64,
		 beliefs[leader].name[0], beliefs[leader].name[1]);
	return TOTUM_OK;
}

totum_status tt_neighbours_find(const struct tt_identity *identity, struct tt_exchange *exchange,
				struct tt_neighbours *out)
{
	size_t n = (size_t)identity->nranks;
	struct belief *beliefs = malloc(n * sizeof *beliefs);

	*out = (struct tt_neighbours){.leaders = malloc(n * sizeof *out->leaders)};
	totum_status status = beliefs && out->leaders
				      ? agree(identity, exchange, beliefs, out)
				      : tt_fail_memory(n * sizeof *beliefs, "the ranks' hosts");
	free(beliefs);
	if (status) {
		free(out->leaders);
		out->leaders = NULL;
	}
	return status;
}
