/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many - all-gathers by the ring, by which a rank speaks to two others; then rank 0 says how many
 * descriptors the rank has that has most, but for those that meet their hosts.
 */
#include <totum.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANKS = 256, TIMES = 3 };

static void ok(totum_status status)
{
	if (!status)
		return;
	fprintf(stderr, "%s: %s\n", totum_strerror(status), totum_errmsg());
	exit(1);
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n - 3; /* ".", ".." and the folder itself */
}

int main(void)
{
	static int all[RANKS];
	totum_comm *comm;

	ok(totum_init(&comm));
	int nranks = totum_comm_nranks(comm), own = totum_comm_rank(comm);
	if (nranks > RANKS)
		return 2;
	ok(totum_comm_configure(comm, "algo=ring"));
	for (int i = 0; i < TIMES; i++) {
		ok(totum_allgather(&own, all, 1, TOTUM_I32, comm));
		for (int rank = 0; rank < nranks; rank++)
			if (all[rank] != rank)
				return 1;
	}
	int mine = descriptors();
	ok(totum_allgather(&mine, all, 1, TOTUM_I32, comm));
	for (int rank = 0; rank < nranks && own == 0; rank++)
		printf("%d\n", all[rank]);
	ok(totum_comm_free(comm));
	return 0;
}
