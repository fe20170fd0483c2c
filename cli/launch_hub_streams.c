/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_hub_streams - the standard streams of a job on several hosts.
 *
 * Output is written as it comes, but never so that the hub waits for its reader: it keeps its
 * deadlines, and hosts are told what has been written, so that they send no more than fits.  Tagged
 * lines stay whole: a stream belongs to a host until its line has ended.  When the reader is gone
 * the hosts close their ends, and their ranks learn of it as they do on one host.
 */
#include "launch_hub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void hub_open_streams(struct hub *hub)
{
	char path[64];
	struct stat kind;

	for (int i = 0; i < 2; i++) {
		hub->outs[i] = i + 1;
		snprintf(path, sizeof path, "/proc/self/fd/%d", i + 1);
		if (fstat(i + 1, &kind) || (!S_ISFIFO(kind.st_mode) && !S_ISCHR(kind.st_mode)))
			continue;
		int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

		if (fd >= 0)
			hub->outs[i] = fd;
	}
}

bool hub_wants_input(const struct hub *hub)
{
	return hub->placed && !hub->input_ended && hub->window >= WIRE_CHUNK &&
	       hub->remotes[0].stage == PLACED;
}

void hub_pass_input(struct hub *hub)
{
	static unsigned char chunk[WIRE_CHUNK];
	struct wire_bytes *queue = &hub->remotes[0].channel.queue;
	ssize_t got = 0;

	if (hub->keeper.job->stdin_for_rank0)
		got = read(STDIN_FILENO, chunk, sizeof chunk);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	size_t begin = wire_begin(queue, got > 0 ? WIRE_INPUT : WIRE_END);

	if (got > 0)
		wire_append(queue, chunk, (size_t)got);
	wire_finish(queue, begin);
	hub->window -= got > 0 ? (int)got : 0;
	hub->input_ended = got <= 0;
}

void hub_take_output(struct hub *hub, int host, struct wire_frame *frame)
{
	int stream = wire_read_int(frame);

	if (stream != 1 && stream != 2)
		frame->bad = true;
	else if (!hub->closed[stream - 1])
		wire_append(&hub->remotes[host].output[stream - 1], frame->at, frame->size);
}

bool hub_has_output(const struct hub *hub, int stream)
{
	int holder = hub->holder[stream];

	if (holder >= 0)
		return hub->remotes[holder].output[stream].used ||
		       hub->remotes[holder].stage == GONE;
	for (int i = 0; i < hub->hosts->n; i++)
		if (hub->remotes[i].output[stream].used)
			return true;
	return false;
}

/* Nobody takes it any more. */
static void close_stream(struct hub *hub, int stream)
{
	if (errno != EPIPE) {
		launch_say(&hub->keeper, "cannot write the output of the ranks: %s",
			   strerror(errno));
		hub->keeper.ending.output_lost = true;
	}
	hub->closed[stream] = true;
	hub->holder[stream] = -1;
	for (int i = 0; i < hub->hosts->n; i++) {
		hub->remotes[i].output[stream].used = 0;
		if (hub->remotes[i].stage == PLACED)
			hub_send(&hub->remotes[i], WIRE_CLOSED, 1, (int[]){stream + 1});
	}
}

/* False when it would have to wait. */
static bool write_from(struct hub *hub, int stream, int host)
{
	struct remote *remote = &hub->remotes[host];
	struct wire_bytes *output = &remote->output[stream];
	ssize_t done = wire_write_some(hub->outs[stream], output->data, output->used);

	if (done < 0) {
		if (errno == EINTR)
			return true;
		if (errno != EAGAIN)
			close_stream(hub, stream);
		return false;
	}
	bool ended = done && output->data[done - 1] == '\n';

	hub->holder[stream] = hub->keeper.job->options->tag_output && !ended ? host : -1;
	wire_drop(output, (size_t)done);
	if (remote->stage == PLACED)
		hub_send(remote, WIRE_TAKEN, 2, (int[]){stream + 1, (int)done});
	return true;
}

/* A line that will not be ended by its host any more. */
static void release(struct hub *hub, int stream)
{
	int holder = hub->holder[stream];

	if (holder < 0 || hub->remotes[holder].stage != GONE ||
	    hub->remotes[holder].output[stream].used)
		return;
	if (wire_write_some(hub->outs[stream], "\n", 1) == 1)
		hub->holder[stream] = -1;
}

static void write_stream(struct hub *hub, int stream)
{
	release(hub, stream);
	for (int i = 0; i < hub->hosts->n; i++) {
		bool mine = hub->holder[stream] < 0 || hub->holder[stream] == i;

		while (mine && hub->remotes[i].output[stream].used)
			if (!write_from(hub, stream, i))
				return;
	}
}

void hub_write_output(struct hub *hub)
{
	for (int stream = 0; stream < 2; stream++)
		write_stream(hub, stream);
}
