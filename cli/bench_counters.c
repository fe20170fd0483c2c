/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_counters - gathers and writes the counters of the ranks. */
#include "bench_counters.h"

#include <inttypes.h>

totum_status bench_counters_gather(const struct bench_job *job, struct totum_counters *all)
{
	struct totum_counters mine = {.size = sizeof mine};
	totum_status status = totum_stats(job->comm, &mine);

	return status ? status : totum_allgather(&mine, all, sizeof mine, TOTUM_U8, job->control);
}

void bench_counters_text(const struct totum_counters *all, int nranks, FILE *out)
{
	fprintf(out,
		"#\n# counters of all the calls above, with warm-up and checks; bytes\n"
		"# %5s %10s %16s %16s %16s %16s %10s %10s\n",
		"rank", "calls", "sent inside", "received inside", "sent between",
		"received between", "waits", "waited (s)");
	for (int rank = 0; rank < nranks; rank++)
		fprintf(out,
			"# %5d %10" PRIu64 " %16" PRIu64 " %16" PRIu64 " %16" PRIu64 " %16" PRIu64
			" %10" PRIu64 " %10.4f\n",
			rank, all[rank].calls, all[rank].sent_inside, all[rank].received_inside,
			all[rank].sent_between, all[rank].received_between, all[rank].waits,
			(double)all[rank].waited_ns * 1e-9);
}

json_t *bench_counters_json(const struct totum_counters *all, int nranks)
{
	json_t *list = json_array();

	for (int rank = 0; rank < nranks; rank++)
		json_array_append_new(
			list, json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "rank", rank,
					"calls", (json_int_t)all[rank].calls, "sent_inside",
					(json_int_t)all[rank].sent_inside, "received_inside",
					(json_int_t)all[rank].received_inside, "sent_between",
					(json_int_t)all[rank].sent_between, "received_between",
					(json_int_t)all[rank].received_between, "waits",
					(json_int_t)all[rank].waits, "waited_us",
					(double)all[rank].waited_ns * 1e-3));
	return list;
}
