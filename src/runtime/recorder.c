/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorder - the flight recorder's ring and the trace.
 *
 * The keys of an entry are those that torch's flight-recorder analysis reads, where there is one for the same thing.
 * The trace is a Chrome trace in its array form, whose closing bracket may be missing: the files of all ranks can be
 * concatenated, and a rank that is killed leaves a readable file.
 */
#include "runtime/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/comm.h"

enum { SHORT = 256 << 10 /* bytes */ };

static uint64_t coarse_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* PREFIX.JOBRANK.AREA.json: a file a rank and communicator. */
static void name_file(const totum_comm *comm, const char *prefix, char *path, size_t size)
{
	snprintf(path, size, "%s.%d.%d.json", prefix, comm->job_ranks[comm->host.rank], comm->area);
}

void tt_recorder_open(totum_comm *comm)
{
	const char *prefix = comm->job->settings.trace;
	char path[512];

	comm->recorder = calloc(1, sizeof *comm->recorder);
	if (!comm->recorder || !prefix[0])
		return;
	name_file(comm, prefix, path, sizeof path);
	FILE *trace = fopen(path, "we");
	if (!trace) {
		tt_log("cannot write the trace %s: %s", path, strerror(errno));
		return;
	}
	fprintf(trace, "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"rank %d\"}}",
		comm->job_ranks[comm->host.rank], comm->job_ranks[comm->host.rank]);
	comm->recorder->trace = trace;
}

void tt_recorder_close(totum_comm *comm)
{
	if (comm->recorder && comm->recorder->trace)
		fclose(comm->recorder->trace);
	free(comm->recorder);
	comm->recorder = NULL;
}

void tt_recorder_begin(totum_comm *comm, const struct tt_fingerprint *call)
{
	struct tt_recorder *recorder = comm->recorder;

	if (!recorder)
		return;
	recorder->calls++;
	recorder->entries[recorder->calls % TT_RECORDED] =
		(struct tt_entry){.call = *call, .number = recorder->calls, .began = coarse_ns()};
	recorder->waits = comm->host.waits;
	recorder->traffic = (struct tt_traffic){0};
	if (recorder->trace)
		recorder->trace_began = tt_clock_ns();
}

void tt_recorder_count(totum_comm *comm, struct tt_traffic traffic)
{
	if (comm->recorder)
		comm->recorder->traffic = traffic;
}

/* A call that neither waited long nor moved much has ended within a tick of the coarse clock. */
static bool was_short(const totum_comm *comm)
{
	const struct tt_recorder *recorder = comm->recorder;

	return comm->host.waits == recorder->waits && recorder->traffic.sent + recorder->traffic.received < SHORT;
}

static void write_event(const totum_comm *comm, const struct tt_entry *entry, uint64_t sent, uint64_t received)
{
	struct tt_recorder *recorder = comm->recorder;
	const char *dtype = totum_dtype_name((totum_dtype)(entry->call.kind >> 7 & 0x1f));
	double began = (double)recorder->trace_began * 1e-3, took = (double)(tt_clock_ns() - recorder->trace_began) * 1e-3;

	fprintf(recorder->trace, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"totum\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,"
		"\"args\":{\"seq\":%" PRIu64 ",\"comm\":%d,\"algo\":\"%s\",\"count\":%" PRIu64 ",\"dtype\":\"%s\",\"sent\":%" PRIu64
		",\"received\":%" PRIu64 "}}",
		tt_operation_name(tt_call_operation(&entry->call)), comm->job_ranks[comm->host.rank], comm->area, began, took,
		entry->number, comm->area, comm->ran, entry->call.count, dtype ? dtype : "", sent, received);
}

void tt_recorder_end(totum_comm *comm, totum_status status)
{
	struct tt_recorder *recorder = comm->recorder;
	char path[512];

	if (!recorder)
		return;
	struct tt_entry *entry = &recorder->entries[recorder->calls % TT_RECORDED];
	entry->ended = was_short(comm) ? entry->began : coarse_ns();
	entry->status = status;
	if (status)
		recorder->traffic = (struct tt_traffic){0};
	recorder->sent += recorder->traffic.sent;
	recorder->received += recorder->traffic.received;
	if (recorder->trace)
		write_event(comm, entry, recorder->traffic.sent, recorder->traffic.received);
	if (!status || !comm->job->settings.flight[0])
		return;
	name_file(comm, comm->job->settings.flight, path, sizeof path);
	char sentence[1024]; /* the failure's own, which writing must not replace */
	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	if (tt_recorder_write(comm, path))
		tt_log("%s", totum_errmsg());
	tt_fail(status, "%s", sentence);
}

static const char *state_of(const struct tt_entry *entry)
{
	if (!entry->ended)
		return "started";
	return entry->status ? "failed" : "completed";
}

static void write_entry(FILE *file, const struct tt_entry *entry, bool first)
{
	char text[TT_CALL_TEXT];
	const char *dtype = totum_dtype_name((totum_dtype)(entry->call.kind >> 7 & 0x1f));

	fprintf(file, "%s\n    {\"record_id\": %" PRIu64 ", \"collective_seq_id\": %" PRIu64 ", \"profiling_name\": \"totum:%s\", "
		"\"call\": \"%s\", \"count\": %" PRIu64 ", \"dtype\": \"%s\", \"state\": \"%s\", \"status\": \"%s\", "
		"\"time_created_ns\": %" PRIu64 ", \"duration_ms\": %.3f}",
		first ? "" : ",", entry->number, entry->number, tt_operation_name(tt_call_operation(&entry->call)),
		tt_call_describe(&entry->call, text), entry->call.count, dtype ? dtype : "", state_of(entry),
		totum_strerror((totum_status)entry->status), entry->began,
		entry->ended ? (double)(entry->ended - entry->began) * 1e-6 : 0.0);
}

totum_status tt_recorder_write(const totum_comm *comm, const char *path)
{
	const struct tt_recorder *recorder = comm->recorder;
	FILE *file = fopen(path, "we");

	if (!file)
		return tt_fail(TOTUM_ESYSTEM, "cannot write the flight record %s: %s", path, strerror(errno));
	fprintf(file, "{\n  \"version\": \"totum %s\",\n  \"rank\": %d,\n  \"nranks\": %d,\n  \"job_rank\": %d,\n  \"comm\": %d,\n"
		"  \"entries\": [", TOTUM_BUILD_VERSION, comm->host.rank, comm->host.nranks, comm->job_ranks[comm->host.rank],
		comm->area);
	uint64_t calls = recorder ? recorder->calls : 0;
	uint64_t first = calls > TT_RECORDED ? calls - TT_RECORDED + 1 : 1;
	for (uint64_t number = first; number <= calls; number++)
		write_entry(file, &recorder->entries[number % TT_RECORDED], number == first);
	fprintf(file, "\n  ]\n}\n");
	if (fclose(file))
		return tt_fail(TOTUM_ESYSTEM, "cannot write the flight record %s: %s", path, strerror(errno));
	return TOTUM_OK;
}
