/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_order - a JOB and a PLACE: all that a host must know to start its ranks.
 *
 * They come through ssh's standard input and not in its arguments: so no shell sees any of it, and
 * the secret stands in no list of processes.
 *
 *	JOB    what the host is called, the directory, the secret; milliseconds of silence, bind, report_bindings,
 *tag_output, verbose, shares; the numbers of arguments and variables, and these PLACE  size, id,
 *root, number of ranks here, and these
 */
#include "launch_order.h"
#include "share.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 1 << 20 };

static void put_texts(struct wire_bytes *out, char *const texts[], int n)
{
	for (int i = 0; i < n; i++)
		wire_text(out, texts[i]);
}

static int count(char *const texts[])
{
	int n = 0;

	while (texts && texts[n])
		n++;
	return n;
}

/* The settings of the library, which all ranks must have alike; not what is only for launchers. */
static bool travels(const char *variable)
{
	return !strncmp(variable, "TOTUM_", 6) && !launch_order_own(variable) &&
	       strncmp(variable, "TOTUM_SSH=", 10) &&
	       strncmp(variable, "TOTUM_SECRET_FILE=", 18);
}

bool launch_order_own(const char *entry)
{
	static const char *const names[] = {
		"TOTUM_RANK",   "TOTUM_SIZE", "TOTUM_LOCAL_RANK", "TOTUM_LOCAL_SIZE",
		"TOTUM_JOB_ID", "TOTUM_ROOT", "TOTUM_SECRET_FD",
	};
	size_t length = strcspn(entry, "=");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && !strncmp(entry, names[i], length))
			return true;
	return false;
}

void launch_order_put(struct wire_bytes *out, const struct launch_job *job, const char *host)
{
	const struct launch_options *options = job->options;
	size_t begin = wire_begin(out, WIRE_JOB);
	int nvariables = count(options->environment);

	wire_text(out, host);
	wire_text(out, options->hosts->directory);
	wire_text(out, job->secret);
	wire_int(out, (int)fmin(1e3 * options->hosts->silence, INT_MAX));
	wire_int(out, (int)options->bind);
	wire_int(out, options->report_bindings);
	wire_int(out, options->tag_output);
	wire_int(out, options->verbose);
	wire_int(out, options->preload != NULL);
	for (char **entry = environ; *entry; entry++)
		nvariables += travels(*entry);
	wire_int(out, count(job->argv));
	wire_int(out, nvariables);
	put_texts(out, job->argv, count(job->argv));
	for (char **entry = environ; *entry; entry++)
		if (travels(*entry))
			wire_text(out, *entry);
	put_texts(out, options->environment, count(options->environment));
	wire_finish(out, begin);
}

/* An array that ends with NULL, of texts copied from a frame; NULL where that is not well. */
static char **take_texts(struct wire_frame *frame, int n)
{
	char **texts = n >= 0 && n <= MOST_WORDS ? calloc((size_t)n + 1, sizeof *texts) : NULL;

	for (int i = 0; texts && i < n && !frame->bad; i++) {
		texts[i] = strdup(wire_read_text(frame));
		frame->bad |= !texts[i];
	}
	frame->bad |= !texts;
	return texts;
}

bool launch_order_take(struct wire_frame *frame, struct launch_order *order)
{
	struct launch_options *options = &order->options;

	snprintf(order->host, sizeof order->host, "%s", wire_read_text(frame));
	snprintf(order->directory, sizeof order->directory, "%s", wire_read_text(frame));
	snprintf(order->job.secret, sizeof order->job.secret, "%s", wire_read_text(frame));
	order->silence = 1e-3 * wire_read_int(frame);
	options->bind = (enum launch_bind)wire_read_int(frame);
	options->report_bindings = wire_read_int(frame);
	options->tag_output = wire_read_int(frame);
	options->verbose = wire_read_int(frame);
	order->shares = wire_read_int(frame);
	int nwords = wire_read_int(frame), nvariables = wire_read_int(frame);

	order->job.argv = take_texts(frame, nwords);
	options->environment = take_texts(frame, nvariables);
	order->job.host = order->host;
	return !frame->bad && nwords > 0;
}

bool launch_order_prepare(struct launch_order *order, char *why, size_t size)
{
	char library[PATH_MAX];

	if (*order->directory && chdir(order->directory)) {
		snprintf(why, size,
			 "cannot enter %.400s: %s; give a directory that all hosts have "
			 "by --wdir",
			 order->directory, strerror(errno));
		return false;
	}
	if (order->shares && !share_find(library, sizeof library)) {
		snprintf(why, size, "--share-memory: %.400s", library);
		return false;
	}
	if (order->shares)
		order->options.preload = strdup(library);
	return true;
}

void launch_order_place(struct wire_bytes *out, const struct launch_job *job, int host)
{
	const struct launch_hosts *hosts = job->options->hosts;
	size_t begin = wire_begin(out, WIRE_PLACE);

	wire_int(out, job->size);
	wire_text(out, job->id);
	wire_text(out, job->root);
	wire_int(out, hosts->list[host].nranks);
	for (int rank = 0; rank < job->size; rank++)
		if (hosts->host_of[rank] == host)
			wire_int(out, rank);
	wire_finish(out, begin);
}

bool launch_order_placed(struct wire_frame *frame, struct launch_order *order)
{
	struct launch_job *job = &order->job;

	job->size = wire_read_int(frame);
	snprintf(job->id, sizeof job->id, "%s", wire_read_text(frame));
	snprintf(job->root, sizeof job->root, "%s", wire_read_text(frame));
	int n = wire_read_int(frame);
	int *numbers = n > 0 && n <= LAUNCH_MAX_RANKS ? calloc((size_t)n, sizeof *numbers) : NULL;

	for (int i = 0; numbers && i < n; i++)
		numbers[i] = wire_read_int(frame);
	job->numbers = numbers;
	order->options.nranks = n;
	return numbers && !frame->bad;
}
