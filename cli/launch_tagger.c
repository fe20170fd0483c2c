/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_tagger - whole lines of all ranks, each behind "[rank] ".
 *
 * A process of its own, so that it may wait for a slow reader of the output while the keeper keeps
 * its deadlines.  Every stream has a buffer for the line that is not complete yet; complete lines
 * leave together in one write.  What is left at a stream's end becomes a line too, and a line
 * longer than 1 MiB is cut.
 */
#include "launch_parts.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CHUNK = 65536, LONGEST = 1 << 20 };

struct text {
	char *data;
	size_t used, room;
};

struct stream {
	struct text begun; /* a line whose end has not come */
	char tag[16];
	int out;
};

_Noreturn static void give_up(const char *what)
{
	dprintf(STDERR_FILENO, "totum: cannot pass on the output of the ranks: %s: %s\n", what,
		strerror(errno));
	_exit(1);
}

static void append(struct text *text, const char *more, size_t size)
{
	if (!size)
		return;
	if (text->used + size > text->room) {
		text->room = 2 * (text->used + size);
		text->data = realloc(text->data, text->room);
		if (!text->data)
			give_up("no memory");
	}
	memcpy(text->data + text->used, more, size);
	text->used += size;
}

/* False when nobody reads fd any more. */
static bool write_all(int fd, const struct text *text)
{
	for (size_t done = 0; done < text->used;) {
		ssize_t now = write(fd, text->data + done, text->used - done);

		if (now >= 0)
			done += (size_t)now;
		else if (errno == EPIPE)
			return false;
		else if (errno == EAGAIN) /* whoever gave us fd has made it so */
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		else if (errno != EINTR)
			give_up("write");
	}
	return true;
}

static void append_line(struct text *out, struct stream *stream, const char *rest, size_t size)
{
	append(out, stream->tag, strlen(stream->tag));
	append(out, stream->begun.data, stream->begun.used);
	append(out, rest, size);
	stream->begun.used = 0;
}

/* Takes what can be read now; false at the end of the stream, or of its reader. */
static bool copy(int fd, struct stream *stream, struct text *out)
{
	static char chunk[CHUNK];
	ssize_t got = read(fd, chunk, sizeof chunk);
	const char *at = chunk, *newline;

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	const char *end = chunk + (got < 0 ? 0 : got);

	out->used = 0;
	for (; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1)
		append_line(out, stream, at, (size_t)(newline + 1 - at));
	append(&stream->begun, at, (size_t)(end - at));
	if (stream->begun.used >= LONGEST || (got <= 0 && stream->begun.used))
		append_line(out, stream, "\n", 1);
	return write_all(stream->out, out) && got > 0;
}

_Noreturn static void tag(const struct launch_job *job, const int fds[], int n)
{
	struct pollfd *polls = calloc((size_t)n, sizeof *polls);
	struct stream *streams = calloc((size_t)n, sizeof *streams);
	struct text out = {0};
	int used = 0;

	if (!polls || !streams)
		give_up("no memory");
	for (int i = 0; i < n; i++) {
		if (fds[i] < 0) /* its rank has not been started */
			continue;
		polls[used] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		streams[used].out = i % 2 ? STDERR_FILENO : STDOUT_FILENO;
		snprintf(streams[used++].tag, sizeof streams->tag, "[%d] ",
			 launch_number(job, i / 2));
	}
	for (int open = used; open;) {
		if (poll(polls, (nfds_t)used, -1) < 0) {
			if (errno == EINTR)
				continue;
			give_up("poll");
		}
		for (int i = 0; i < used; i++) {
			if (polls[i].fd < 0 || !polls[i].revents ||
			    copy(polls[i].fd, &streams[i], &out))
				continue;
			close(polls[i].fd);
			polls[i].fd = -1;
			open--;
		}
	}
	_exit(0);
}

pid_t launch_tagger(const struct launch_job *job, const int streams[])
{
	pid_t keeper = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_NAME, "rank-tagger");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper)
		_exit(1);
	close(job->control); /* its end tells the front that the keeper's has come */
	tag(job, streams, 2 * job->options->nranks);
}
