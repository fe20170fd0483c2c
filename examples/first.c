/* SPDX-License-Identifier: BSD-3-Clause */
/* first - every rank brings the square of its number, every rank leaves with all the squares. */
#include <stdio.h>
#include <stdlib.h>
#include <totum.h>

int main(void)
{
	totum_comm *comm;
	if (totum_init(&comm) != TOTUM_OK)
		return fprintf(stderr, "%s\n", totum_errmsg()), 1;
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	int32_t mine = rank * rank, *all = calloc((size_t)nranks, sizeof *all);
	if (totum_allgather(&mine, all, 1, TOTUM_I32, comm) != TOTUM_OK)
		return fprintf(stderr, "%s\n", totum_errmsg()), 1;
	printf("rank %d of %d: the last square is %d\n", rank, nranks, all[nranks - 1]);
	free(all);
	return totum_comm_free(comm) == TOTUM_OK ? 0 : 1;
}
