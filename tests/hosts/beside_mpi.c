/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * beside_mpi - totum and an MPI library in one process, under one mpiexec: says "rank R of N" when
 * all ranks have gathered by both.  Compiled by tests/cli/launchers_hosts.sh for each MPI.  While a
 * rank is in MPI_Finalize there is a file finalizing.RANK.
 *
 *     beside_mpi ORDER     letters: t a job of totum, begun and ended; I and F, MPI begins and ends
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "totum.h"

enum { MOST = 64 };

static int rank, nranks;

static void check(const int *got, const char *by)
{
	for (int r = 0; r < nranks; r++)
		if (got[r] != 7 * r + 1) {
			printf("rank %d: %s gave %d for rank %d\n", rank, by, got[r], r);
			exit(1);
		}
}

static void use_totum(void)
{
	totum_comm *comm;
	int got[MOST];

	if (totum_init(&comm)) {
		printf("totum_init: %s\n", totum_errmsg());
		exit(1);
	}
	rank = totum_comm_rank(comm);
	nranks = totum_comm_nranks(comm);
	int mine = 7 * rank + 1;
	if (totum_allgather(&mine, got, 1, TOTUM_I32, comm) || totum_comm_free(comm)) {
		printf("rank %d: %s\n", rank, totum_errmsg());
		exit(1);
	}
	check(got, "totum");
}

static void use_mpi(void)
{
	int got[MOST];

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nranks);
	int mine = 7 * rank + 1;
	MPI_Allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
	check(got, "MPI");
}

static void end_mpi(void)
{
	char mark[32];

	snprintf(mark, sizeof mark, "finalizing.%d", rank);
	FILE *file = fopen(mark, "w");

	if (file)
		fclose(file);
	MPI_Finalize();
	remove(mark);
}

int main(int argc, char **argv)
{
	for (const char *step = argc > 1 ? argv[1] : ""; *step; step++) {
		if (*step == 'I') {
			MPI_Init(NULL, NULL);
			use_mpi();
		} else if (*step == 'F') {
			use_mpi();
			end_mpi();
		} else {
			use_totum();
		}
	}
	printf("rank %d of %d\n", rank, nranks);
	return 0;
}
