/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meet - a rank that joins its job by the functions for it, for tests/cli/launchers_hosts.sh; it
 * gathers all numbers and says "rank R of N".  ranks: none
 *
 *     meet create RANK N ROOT SECRET
 *     meet id RANK N FILE              rank N-1 makes the id and writes it to the file
 *     meet store RANK N FOLDER         a file for each key
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "totum.h"

enum { MOST = 64 };

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* The file appears whole. */
static int write_file(const char *path, const void *bytes, size_t n)
{
	char fresh[300];

	snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int code = fd < 0 || write(fd, bytes, n) != (ssize_t)n;
	close(fd);
	return code || rename(fresh, path);
}

static int set(void *folder, const char *key, const void *value, size_t bytes)
{
	char path[250];

	snprintf(path, sizeof path, "%s/%s", (char *)folder, key);
	return write_file(path, value, bytes);
}

static int get(void *folder, const char *key, void *value, size_t *bytes)
{
	char path[250];

	snprintf(path, sizeof path, "%s/%s", (char *)folder, key);
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return 1;
	ssize_t got = read(fd, value, *bytes);
	close(fd);
	*bytes = got < 0 ? 0 : (size_t)got;
	return got < 0;
}

static int wait_for(void *folder, const char *key, int milliseconds)
{
	char path[250];

	snprintf(path, sizeof path, "%s/%s", (char *)folder, key);
	for (int left = milliseconds; left > 0; left -= 5) {
		if (!access(path, R_OK))
			return 0;
		nap();
	}
	return 1;
}

static totum_status join_by_id(int rank, int nranks, const char *path, totum_comm **comm)
{
	totum_unique_id id = {""};

	if (rank == nranks - 1) {
		totum_status status = totum_unique_id_create(&id);
		if (status || write_file(path, &id, sizeof id))
			return status ? status : TOTUM_ESYSTEM;
	}
	while (!id.text[0]) {
		int fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, &id, sizeof id) < 0)
			return TOTUM_ESYSTEM;
		if (fd >= 0)
			close(fd);
		nap();
	}
	return totum_comm_init_rank(comm, nranks, &id, rank);
}

static totum_status join(char **words, int n, totum_comm **comm)
{
	int rank = atoi(words[2]), nranks = atoi(words[3]);
	struct totum_store store = {words[4], set, get, wait_for};

	if (!strcmp(words[1], "id"))
		return join_by_id(rank, nranks, words[4], comm);
	if (!strcmp(words[1], "store"))
		return totum_comm_create_store(rank, nranks, &store, comm);
	return totum_comm_create(rank, nranks, words[4], n > 5 ? words[5] : NULL, comm);
}

int main(int argc, char **argv)
{
	int got[MOST];
	totum_comm *comm;

	if (argc < 5)
		return 2;
	if (join(argv, argc, &comm)) {
		printf("%s\n", totum_errmsg());
		return 1;
	}
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	if (totum_allgather(&rank, got, 1, TOTUM_I32, comm) || totum_comm_free(comm)) {
		printf("rank %d: %s\n", rank, totum_errmsg());
		return 1;
	}
	for (int r = 0; r < nranks; r++)
		if (got[r] != r)
			return 1;
	printf("rank %d of %d\n", rank, nranks);
	return 0;
}
