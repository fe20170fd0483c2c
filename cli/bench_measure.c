/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_measure - one size of the collective, out of place or in place: timed, then checked.
 *
 * The checked calls come after the timed ones, each on data of its own and a poisoned output, so
 * that nothing an earlier call left can pass for a result.  The send buffer is checked too: an
 * element of it that the call has changed is counted as wrong.
 */
#include "bench.h"

struct measured {
	struct bench_job *job;
	struct bench_call call;
	void *input; /* call.send, to be written */
};

static totum_status calls(void *context, long n)
{
	const struct measured *measured = context;
	totum_status (*call)(const struct bench_call *) = measured->job->options->formula->call;
	totum_status status = TOTUM_OK;

	for (long i = 0; i < n && !status; i++)
		status = call(&measured->call);
	return status;
}

static void renew(void *context)
{
	struct measured *measured = context;

	measured->job->data.salt++;
	bench_fill(&measured->job->data, measured->input, measured->call.count);
}

static totum_status check(struct measured *measured, enum bench_place place, uint64_t *wrong)
{
	struct bench_job *job = measured->job;
	const struct bench_call *call = &measured->call;

	*wrong = 0;
	for (long i = 0; i < job->options->checks; i++) {
		job->data.salt++;
		bench_poison(&job->data, call->recv,
			     call->count); /* first: it may hold the input */
		bench_fill(&job->data, measured->input, call->count);
		totum_status status = calls(measured, 1);

		if (status)
			return status;
		*wrong += bench_wrong(&job->data, call->recv, call->count);
		if (place == BENCH_OUT_OF_PLACE)
			*wrong += bench_changed(&job->data, call->send, call->count);
	}
	return totum_allreduce(wrong, wrong, 1, TOTUM_U64, TOTUM_SUM, job->control);
}

totum_status bench_measure(struct bench_job *job, size_t count, enum bench_place place,
			   struct bench_row *row)
{
	const struct bench_options *options = job->options;
	size_t element = totum_dtype_size(options->dtype);
	struct measured measured = {
		.job = job,
		.call = {.recv = job->whole,
			 .count = count,
			 .dtype = options->dtype,
			 .op = options->op,
			 .root = options->root,
			 .comm = job->comm},
		.input = job->send,
	};
	struct bench_subject subject = {calls, renew, false, &measured};

	if (place == BENCH_IN_PLACE) {
		measured.input = job->whole +
				 element * bench_send_offset(options->formula, count, job->rank);
		measured.call.recv = job->whole + element * bench_recv_offset(options->formula,
									      count, job->rank);
	}
	measured.call.send = measured.input;
	renew(&measured);
	totum_status status =
		bench_time(&options->plan, &subject, job->control, job->times, &row->timing[place]);

	return status ? status : check(&measured, place, &row->wrong[place]);
}
