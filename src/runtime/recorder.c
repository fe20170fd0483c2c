/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorder - the flight recorder's rings, and the counters.
 *
 * What begins after the communicator has failed fails too, for the same reason: it leaves no entry,
 * so that the record still shows what led to the failure.
 */
#include "runtime/recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "host/call.h"
#include "runtime/comm.h"
#include "runtime/mail.h"
#include "runtime/trace.h"

enum { SHORT = 256 << 10 /* bytes */ };

static uint64_t coarse_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void tt_recorder_open(totum_comm *comm)
{
	comm->recorder = calloc(1, sizeof *comm->recorder);
	if (comm->recorder)
		comm->recorder->trace = tt_trace_open(comm);
}

void tt_recorder_close(totum_comm *comm)
{
	free(comm->recorder);
	comm->recorder = NULL;
}

void tt_recorder_begin(totum_comm *comm, const struct tt_fingerprint *call)
{
	struct tt_recorder *recorder = comm->recorder;

	if (!recorder)
		return;
	if (recorder->failed) {
		recorder->after++;
		return;
	}
	recorder->calls++;
	struct tt_entry *entry = &recorder->entries[recorder->calls % TT_RECORDED];
	tt_call_copy(&entry->call, call);
	entry->number = recorder->calls;
	entry->began = coarse_ns();
	entry->ended = 0;
	entry->status = TOTUM_OK;
	recorder->waits = comm->host.waits;
	recorder->traffic = recorder->far = (struct tt_traffic){0};
	if (recorder->trace)
		recorder->trace_began = tt_clock_ns();
}

void tt_recorder_count(totum_comm *comm, struct tt_traffic inside, struct tt_traffic between)
{
	if (!comm->recorder)
		return;
	comm->recorder->traffic = inside;
	comm->recorder->far = between;
}

static uint64_t bytes_of(const struct tt_recorder *recorder)
{
	return recorder->traffic.sent + recorder->traffic.received + recorder->far.sent +
	       recorder->far.received;
}

static void add(struct tt_traffic *total, struct tt_traffic traffic)
{
	total->sent += traffic.sent;
	total->received += traffic.received;
}

/* A call that neither waited long nor moved much has ended within a tick of the coarse clock. */
static bool was_short(const totum_comm *comm)
{
	const struct tt_recorder *recorder = comm->recorder;

	return comm->host.waits == recorder->waits && bytes_of(recorder) < SHORT;
}

void tt_recorder_end(totum_comm *comm, totum_status status, bool in_one_go)
{
	struct tt_recorder *recorder = comm->recorder;

	if (!recorder || recorder->failed)
		return;
	struct tt_entry *entry = &recorder->entries[recorder->calls % TT_RECORDED];
	entry->ended = in_one_go && was_short(comm) ? entry->began : coarse_ns();
	entry->status = status;
	if (status) {
		tt_recorder_failed(comm, status);
		return;
	}
	add(&recorder->inside, recorder->traffic);
	add(&recorder->between, recorder->far);
}

void tt_recorder_posted(totum_comm *comm, struct tt_letter *letter)
{
	struct tt_recorder *recorder = comm->recorder;

	if (!recorder)
		return;
	letter->number = ++recorder->nmessages;
	recorder->messages[letter->number % TT_RECORDED] = (struct tt_message_entry){
		.sends = letter->sends,
		.peer = letter->peer,
		.tag = letter->tag,
		.dtype = (uint32_t)letter->dtype,
		.bytes = letter->bytes,
		.number = letter->number,
		.began = coarse_ns(),
	};
	if (recorder->trace)
		tt_trace_posted(comm, letter);
}

void tt_recorder_delivered(totum_comm *comm, const struct tt_letter *letter)
{
	struct tt_recorder *recorder = comm->recorder;

	if (!recorder)
		return;
	struct tt_message_entry *entry = &recorder->messages[letter->number % TT_RECORDED];
	if (entry->number == letter->number) { /* else 64 others have begun since */
		entry->ended = coarse_ns();
		entry->status = letter->status;
		entry->peer = letter->got.peer;
		entry->tag = letter->got.tag;
		entry->bytes = letter->got_bytes;
	}
	if (letter->got.peer != comm->rank && !letter->status) {
		bool far = tt_comm_far(comm, letter->got.peer);
		struct tt_traffic *total = far ? &recorder->between : &recorder->inside;
		*(letter->sends ? &total->sent : &total->received) += letter->got_bytes;
	}
	if (recorder->trace)
		tt_trace_delivered(comm, letter);
	if (letter->status)
		tt_recorder_failed(comm, letter->status);
}

void tt_recorder_failed(totum_comm *comm, totum_status status)
{
	struct tt_recorder *recorder = comm->recorder;
	const char *prefix = comm->job->settings.flight;
	char path[512], sentence[1024];

	if (!recorder || recorder->failed)
		return;
	recorder->failed =
		atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed) != 0;
	if (!prefix[0])
		return;
	/* which writing must not replace */
	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	snprintf(path, sizeof path, "%s.%d.%d.json", prefix, tt_comm_world_rank(comm),
		 comm->area);
	if (tt_recorder_write(comm, path))
		tt_log("%s", totum_errmsg());
	tt_fail(status, "%s", sentence);
}

void tt_recorder_log(const totum_comm *comm)
{
	const struct tt_recorder *recorder = comm->recorder;

	if (!recorder || !tt_log_enabled())
		return;
	tt_log("rank %d of %d leaves communicator %d: %" PRIu64 " calls, %" PRIu64 " messages, "
	       "%" PRIu64 " bytes sent and %" PRIu64 " received inside the host, "
	       "%" PRIu64 " and %" PRIu64 " between hosts, %" PRIu64 " waits of %.6f s together",
	       comm->rank, comm->nranks, comm->area, recorder->calls + recorder->after,
	       recorder->nmessages, recorder->inside.sent, recorder->inside.received,
	       recorder->between.sent, recorder->between.received, comm->host.waits,
	       (double)comm->host.waited_ns * 1e-9);
}
