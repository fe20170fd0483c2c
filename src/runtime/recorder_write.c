/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorder_write - the flight record as JSON.
 *
 * The keys of a call are those that torch's flight-recorder analysis reads, where there is one for
 * the same thing.  Calls that wait behind the one under way are "scheduled".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/bundle.h"
#include "runtime/comm.h"

static const char *state_of(uint64_t ended, int32_t status)
{
	if (!ended)
		return "started";
	return status ? "failed" : "completed";
}

static const char *name_dtype(uint32_t dtype)
{
	const char *name = totum_dtype_name((totum_dtype)dtype);

	return name ? name : "";
}

static void write_text(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
	}
	fputc('"', file);
}

static void write_call(FILE *file, const struct tt_entry *entry, const char *state)
{
	char text[TT_CALL_TEXT];

	fprintf(file,
		"    {\"record_id\": %" PRIu64 ", \"collective_seq_id\": %" PRIu64
		", \"profiling_name\": \"totum:%s\", \"call\": \"%s\", \"count\": %" PRIu64
		", \"dtype\": \"%s\", \"state\": \"%s\", \"status\": \"%s\""
		", \"time_created_ns\": %" PRIu64 ", \"duration_ms\": %.3f}",
		entry->number, entry->number, tt_operation_name(tt_call_operation(&entry->call)),
		tt_call_describe(&entry->call, text), entry->call.count,
		name_dtype(entry->call.kind >> 7 & 0x1f), state,
		totum_strerror((totum_status)entry->status), entry->began,
		entry->ended ? (double)(entry->ended - entry->began) * 1e-6 : 0.0);
}

/* What waits for its turn; the members of a bundle are one call. */
static void write_scheduled(FILE *file, const totum_comm *comm, uint64_t number)
{
	const struct tt_work *work = comm->first;

	for (int skip; work; work = work->next) {
		struct tt_entry entry = {.call = work->bundle ? work->bundle->task.call
							      : work->task.call};
		if (!work->started) {
			entry.number = ++number;
			fputs(number > 1 ? ",\n" : "\n", file);
			write_call(file, &entry, "scheduled");
		}
		for (skip = work->bundle ? work->bundle->nworks - 1 : 0; skip > 0 && work->next;
		     skip--)
			work = work->next;
	}
}

/* The number of the oldest of `count` entries that the ring still holds. */
static uint64_t first_kept(uint64_t count)
{
	return count > TT_RECORDED ? count - TT_RECORDED + 1 : 1;
}

static void write_calls(FILE *file, const totum_comm *comm)
{
	const struct tt_recorder *recorder = comm->recorder;
	uint64_t calls = recorder ? recorder->calls : 0, first = first_kept(calls);

	fputs("  \"entries\": [", file);
	for (uint64_t number = first; number <= calls; number++) {
		const struct tt_entry *entry = &recorder->entries[number % TT_RECORDED];
		fputs(number > first ? ",\n" : "\n", file);
		write_call(file, entry, state_of(entry->ended, entry->status));
	}
	write_scheduled(file, comm, calls);
	fputs("\n  ],\n", file);
}

static void write_messages(FILE *file, const totum_comm *comm)
{
	const struct tt_recorder *recorder = comm->recorder;
	uint64_t count = recorder ? recorder->nmessages : 0, first = first_kept(count);

	fputs("  \"messages\": [", file);
	for (uint64_t number = first; number <= count; number++) {
		const struct tt_message_entry *entry = &recorder->messages[number % TT_RECORDED];
		fprintf(file,
			"%s\n    {\"p2p_seq_id\": %" PRIu64
			", \"profiling_name\": \"totum:%s\", \"peer\": %d, \"tag\": %d"
			", \"bytes\": %" PRIu64
			", \"dtype\": \"%s\", \"state\": \"%s\", \"status\": \"%s\""
			", \"time_created_ns\": %" PRIu64 ", \"duration_ms\": %.3f}",
			number > first ? "," : "", entry->number, entry->sends ? "send" : "recv",
			entry->peer, entry->tag, entry->bytes, name_dtype(entry->dtype),
			state_of(entry->ended, entry->status),
			totum_strerror((totum_status)entry->status), entry->began,
			entry->ended ? (double)(entry->ended - entry->began) * 1e-6 : 0.0);
	}
	fputs("\n  ]\n", file);
}

static void write_all(FILE *file, const totum_comm *comm)
{
	const struct tt_host *host = &comm->host;
	char name[TT_HOST_NAME], sentence[TT_FAILURE] = "";

	tt_hostname(name);
	/* acquire: pairs with the release in tt_host_fail */
	if (atomic_load_explicit(&host->head->failed, memory_order_acquire))
		memcpy(sentence, host->head->sentence, sizeof sentence - 1);
	fprintf(file,
		"{\n  \"version\": \"totum %s\",\n  \"rank\": %d,\n  \"nranks\": %d,\n"
		"  \"job_rank\": %d,\n  \"comm\": %d,\n  \"pid\": %d,\n  \"host\": ",
		TOTUM_BUILD_VERSION, comm->rank, comm->nranks, tt_comm_world_rank(comm),
		comm->area, (int)getpid());
	write_text(file, name);
	fprintf(file, ",\n  \"written_ns\": %" PRIu64 ",\n  \"failure\": ", tt_clock_ns());
	if (sentence[0])
		write_text(file, sentence);
	else
		fputs("null", file);
	fputs(",\n", file);
	write_calls(file, comm);
	write_messages(file, comm);
	fputs("}\n", file);
}

totum_status tt_recorder_write(const totum_comm *comm, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return tt_fail(TOTUM_ESYSTEM, "cannot write the flight record %s: %s", path,
			       strerror(errno));
	write_all(file, comm);
	bool failed = ferror(file);
	if (fclose(file) || failed)
		return tt_fail(TOTUM_ESYSTEM, "cannot write the flight record %s: %s", path,
			       strerror(errno));
	return TOTUM_OK;
}
