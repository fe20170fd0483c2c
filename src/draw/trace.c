/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace - a simulation as a timeline that Perfetto and chrome://tracing open.
 *
 * Every rank is a process; a message is an event of its sender, on the first of its lines that is
 * free when the message starts.  Rounds are one more process, and in the load model so are the
 * links, each as long in use in a round as it takes to carry its load.  Times are microseconds with
 * six decimals, written from whole picoseconds so that no locale gets in.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/simulation.h"

/* Events of links beyond this many are left out. */
enum { MOST_LINK_EVENTS = 1 << 20 };

struct trace {
	const struct tt_simulated *simulated;
	FILE *out;
	bool begun;
};

static void write_micros(const char *key, double seconds, FILE *out)
{
	long long picoseconds = llround(seconds * (double)TT_PICOSECONDS);

	fprintf(out, ",\"%s\":%lld.%06lld", key, picoseconds / 1000000, picoseconds % 1000000);
}

static void begin(struct trace *trace)
{
	fputs(trace->begun ? ",\n" : "\n", trace->out);
	trace->begun = true;
}

static void name_process(struct trace *trace, int64_t process, const char *format, int64_t number)
{
	begin(trace);
	fprintf(trace->out,
		"{\"ph\":\"M\",\"pid\":%" PRId64 ",\"name\":\"process_name\",\"args\":{\"name\":\"",
		process);
	fputs(format, trace->out);
	if (number >= 0)
		fprintf(trace->out, " %" PRId64, number);
	fprintf(trace->out,
		"\"}},\n{\"ph\":\"M\",\"pid\":%" PRId64
		",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRId64 "}}",
		process, process);
}

/* The sender's lowest line that is free at the start; the lines end at lines[0 .. *count - 1]. */
static int64_t take_line(double *lines, int64_t *count, const struct tt_message_span *span)
{
	int64_t line = 0;

	/* Ends and starts of the same moment may differ by rounding. */
	while (line < *count && lines[line] > span->start * (1 + 1e-12))
		line++;
	if (line == *count)
		++*count;
	lines[line] = span->end;
	return line;
}

static void write_message(struct trace *trace, const struct tt_message_span *span, int64_t line)
{
	FILE *out = trace->out;
	long long millionths = llround(span->blocks * 1e6);

	begin(trace);
	fprintf(out,
		"{\"ph\":\"X\",\"pid\":%" PRId64 ",\"tid\":%" PRId64 ",\"name\":\"%" PRId64
		">%" PRId64 "\"",
		span->from, line, span->from, span->to);
	write_micros("ts", span->start, out);
	write_micros("dur", span->end - span->start, out);
	fprintf(out, ",\"args\":{\"round\":%" PRId64 ",\"blocks\":%lld.%06lld}}", span->round,
		millionths / 1000000, millionths % 1000000);
}

static int compare_senders(const void *a, const void *b)
{
	const struct tt_message_span *x = *(const struct tt_message_span *const *)a;
	const struct tt_message_span *y = *(const struct tt_message_span *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x < y ? -1 : x > y; /* which is by start */
}

static totum_status write_messages(struct trace *trace)
{
	const struct tt_recording *recording = &trace->simulated->recording;
	size_t n = (size_t)recording->nmessages + 1;
	const struct tt_message_span **order = malloc(n * sizeof *order);
	double *lines = malloc(n * sizeof *lines);
	int64_t count = 0;

	if (!order || !lines) {
		free(order);
		free(lines);
		return tt_fail_memory(n * 16, "a trace");
	}
	for (int64_t i = 0; i < recording->nmessages; i++)
		order[i] = &recording->messages[i];
	qsort(order, n - 1, sizeof *order, compare_senders);
	for (int64_t i = 0; i < recording->nmessages; i++) {
		if (!i || order[i]->from != order[i - 1]->from) {
			count = 0;
			name_process(trace, order[i]->from, "rank", order[i]->from);
		}
		write_message(trace, order[i], take_line(lines, &count, order[i]));
	}
	free(order);
	free(lines);
	return TOTUM_OK;
}

static void write_rounds(struct trace *trace)
{
	const struct tt_recording *recording = &trace->simulated->recording;
	int64_t process = trace->simulated->schedule->nranks;

	if (recording->nrounds)
		name_process(trace, process, "rounds", -1);
	for (int64_t i = 0; i < recording->nrounds; i++)
		for (int64_t j = 0; j < recording->rounds[i].count; j++) {
			const struct tt_recorded_round *round = &recording->rounds[i];

			begin(trace);
			fprintf(trace->out,
				"{\"ph\":\"X\",\"pid\":%" PRId64
				",\"tid\":0,\"name\":\"round %" PRId64 "\"",
				process, round->first + j);
			write_micros("ts", round->start + (double)j * round->seconds, trace->out);
			write_micros("dur", round->seconds, trace->out);
			fprintf(trace->out, ",\"args\":{\"messages\":%" PRId64 "}}",
				round->messages);
		}
}

static void write_link(struct trace *trace, const struct tt_recorded_round *round, int64_t repeat,
		       int32_t link)
{
	const struct tt_simulated *simulated = trace->simulated;
	const struct tt_link *wire = &simulated->topology->links[link];
	const struct tt_vertex *vertices = simulated->topology->vertices;
	double block = (double)simulated->bytes / (double)simulated->schedule->nranks;
	double blocks = (double)round->loads[link] / (double)round->scale;
	double start = round->start + (double)repeat * round->seconds +
		       (double)round->latency / (double)TT_PICOSECONDS;

	begin(trace);
	fprintf(trace->out,
		"{\"ph\":\"X\",\"pid\":%" PRId64 ",\"tid\":%" PRId32 ",\"name\":\"%s>%s\"",
		simulated->schedule->nranks + 1, link, vertices[wire->from].name,
		vertices[wire->to].name);
	write_micros("ts", start, trace->out);
	write_micros("dur", blocks * block / (double)wire->wire.capacity, trace->out);
	fprintf(trace->out, ",\"args\":{\"round\":%" PRId64 "}}", round->first + repeat);
}

static void write_links(struct trace *trace)
{
	const struct tt_recording *recording = &trace->simulated->recording;
	int64_t written = 0;

	if (!trace->simulated->topology || !recording->nrounds || !recording->rounds[0].loads)
		return;
	name_process(trace, trace->simulated->schedule->nranks + 1, "links", -1);
	for (int64_t i = 0; i < recording->nrounds; i++)
		for (int64_t j = 0; j < recording->rounds[i].count; j++)
			for (int32_t l = 0; l < recording->nlinks; l++)
				if (recording->rounds[i].loads[l] && written++ < MOST_LINK_EVENTS)
					write_link(trace, &recording->rounds[i], j, l);
}

totum_status tt_draw_trace(const struct tt_simulated *simulated, FILE *out)
{
	struct trace trace = {.simulated = simulated, .out = out};

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	totum_status status = write_messages(&trace);
	write_rounds(&trace);
	write_links(&trace);
	fputs("\n]}\n", out);
	return status;
}
