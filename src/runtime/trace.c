/* SPDX-License-Identifier: BSD-3-Clause */
/* trace - the events of a Chrome trace. */
#include "runtime/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/bundle.h"
#include "runtime/mail.h"

static int rank_of(const totum_comm *comm)
{
	return tt_comm_world_rank(comm);
}

/* A whole event, so that threads of one rank do not mix theirs. */
__attribute__((format(printf, 2, 3))) static void write_event(FILE *trace, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(trace, format, args);
	va_end(args);
	fflush(trace);
}

static FILE *begin(int rank, const char *prefix)
{
	char path[512];

	snprintf(path, sizeof path, "%s.%d.json", prefix, rank);
	FILE *trace = fopen(path, "we");
	if (!trace)
		tt_log("cannot write the trace %s: %s", path, strerror(errno));
	else
		write_event(trace,
			    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,"
			    "\"args\":{\"name\":\"rank %d\"}}",
			    rank, rank);
	return trace;
}

FILE *tt_trace_open(totum_comm *comm)
{
	struct tt_job *job = comm->job;
	int rank = rank_of(comm);
	FILE **trace = &tt_job_others(job, rank)->trace;

	if (!job->settings.trace[0])
		return NULL;
	pthread_mutex_lock(&job->lock);
	if (!*trace)
		*trace = begin(rank, job->settings.trace);
	pthread_mutex_unlock(&job->lock);
	if (*trace)
		write_event(*trace,
			    ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,"
			    "\"args\":{\"name\":\"communicator %d of %d ranks\"}}",
			    rank, comm->area, comm->area, comm->nranks);
	return *trace;
}

void tt_trace_close(FILE *trace)
{
	if (!trace)
		return;
	fputs("\n]\n", trace);
	fclose(trace);
}

static double us(uint64_t ns)
{
	return (double)ns * 1e-3;
}

static void write_call(totum_comm *comm, const struct tt_fingerprint *call, uint64_t took,
		       const char *more)
{
	char text[TT_CALL_TEXT];
	const char *dtype = totum_dtype_name((totum_dtype)(call->kind >> 7 & 0x1f));

	write_event(comm->recorder->trace,
		    ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"call\",\"pid\":%d,\"tid\":%d,"
		    "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"call\":\"%s\",\"seq\":%" PRIu64
		    ",\"comm\":%d,\"nranks\":%d,\"algo\":\"%s\",\"count\":%" PRIu64
		    ",\"dtype\":\"%s\"%s}}",
		    tt_operation_name(tt_call_operation(call)), rank_of(comm), comm->area,
		    us(comm->recorder->trace_began), us(took), tt_call_describe(call, text),
		    comm->recorder->calls, comm->area, comm->nranks, comm->ran, call->count,
		    dtype ? dtype : "", more);
}

void tt_trace_work(totum_comm *comm, const struct tt_work *work, totum_status status)
{
	struct tt_traffic traffic = {0};

	if (!status)
		traffic = (struct tt_traffic){
			comm->recorder->traffic.sent + comm->recorder->far.sent,
			comm->recorder->traffic.received + comm->recorder->far.received};
	uint64_t began = comm->recorder->trace_began, took = tt_clock_ns() - began;
	const struct tt_bundle *bundle = work->bundle;
	char more[160];
	int at = snprintf(more, sizeof more, ",\"sent\":%" PRIu64 ",\"received\":%" PRIu64,
			  traffic.sent, traffic.received);

	if (work->posted) /* a request: how long it stood in the queue */
		at += snprintf(more + at, sizeof more - (size_t)at, ",\"queued_us\":%.3f",
			       us(began - work->posted));
	if (bundle)
		at += snprintf(more + at, sizeof more - (size_t)at, ",\"members\":%d",
			       bundle->nworks);
	if (status)
		snprintf(more + at, sizeof more - (size_t)at, ",\"status\":\"%s\"",
			 totum_strerror(status));
	write_call(comm, bundle ? &bundle->task.call : &work->task.call, took, more);
	for (int i = 0; bundle && work && i < bundle->nworks; i++, work = work->next)
		write_call(comm, &work->task.call, took, "");
}

/* "send to 1", "recv from 2", "recv from any": the same at the begin and at the end. */
static void write_message(totum_comm *comm, const struct tt_letter *letter, const char *phase,
			  const char *args)
{
	char peer[16] = "any";

	if (letter->peer != TOTUM_ANY)
		snprintf(peer, sizeof peer, "%d", letter->peer);
	write_event(comm->recorder->trace,
		    ",\n{\"ph\":\"%s\",\"name\":\"%s %s\",\"cat\":\"message\","
		    "\"id2\":{\"local\":\"0x%x%08" PRIx64
		    "\"},\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"args\":{%s}}",
		    phase, letter->sends ? "send to" : "recv from", peer, (unsigned)comm->area + 1,
		    letter->number & UINT32_MAX, rank_of(comm), comm->area, us(tt_clock_ns()),
		    args);
}

void tt_trace_posted(totum_comm *comm, const struct tt_letter *letter)
{
	char args[96];

	snprintf(args, sizeof args, "\"seq\":%" PRIu64 ",\"tag\":%d,\"dtype\":\"%s\",\"room\":%zu",
		 letter->number, letter->tag, totum_dtype_name(letter->dtype), letter->bytes);
	write_message(comm, letter, "b", args);
}

void tt_trace_delivered(totum_comm *comm, const struct tt_letter *letter)
{
	char args[96];

	snprintf(args, sizeof args,
		 "\"peer\":%d,\"tag\":%d,\"bytes\":%" PRIu64 ",\"status\":\"%s\"", letter->got.peer,
		 letter->got.tag, letter->got_bytes, totum_strerror(letter->status));
	write_message(comm, letter, "e", args);
}
