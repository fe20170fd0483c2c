/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_wire - frames in and out of bytes, and bytes in and out of descriptors, without waiting.
 *
 * A descriptor of ours may be shared with a program that wants it blocking, so it is never made
 * otherwise: what poll(2) allows to be written to a pipe are at least PIPE_BUF bytes, and a socket
 * can be told not to wait.
 */
#include "launch_wire.h"
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 8, LARGEST = 64 << 20 };

const char wire_greeting[] = "\ntotum agent:\n";

void wire_append(struct wire_bytes *bytes, const void *data, size_t size)
{
	if (!size)
		return;
	if (bytes->used + size > bytes->room) {
		size_t room = 2 * (bytes->used + size);
		unsigned char *more = realloc(bytes->data, room);

		if (!more) {
			dprintf(STDERR_FILENO,
				"totum run: no memory for %zu bytes to or from "
				"another host\n",
				room);
			_exit(LAUNCH_FAULT); /* whose end makes all others end */
		}
		bytes->data = more;
		bytes->room = room;
	}
	memcpy(bytes->data + bytes->used, data, size);
	bytes->used += size;
}

void wire_drop(struct wire_bytes *bytes, size_t size)
{
	bytes->used -= size;
	if (bytes->used)
		memmove(bytes->data, bytes->data + size, bytes->used);
}

static void encode(unsigned char out[4], uint32_t value)
{
	for (int i = 0; i < 4; i++)
		out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static uint32_t decode(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void wire_int(struct wire_bytes *bytes, int value)
{
	unsigned char word[4];

	encode(word, (uint32_t)value);
	wire_append(bytes, word, sizeof word);
}

void wire_text(struct wire_bytes *bytes, const char *text)
{
	wire_append(bytes, text, strlen(text) + 1);
}

size_t wire_begin(struct wire_bytes *bytes, enum wire_kind kind)
{
	size_t begin = bytes->used;

	wire_int(bytes, (int)kind);
	wire_int(bytes, 0);
	return begin;
}

void wire_finish(struct wire_bytes *bytes, size_t begin)
{
	encode(bytes->data + begin + 4, (uint32_t)(bytes->used - begin - HEADER));
}

void wire_ints(struct wire_bytes *bytes, enum wire_kind kind, int n, const int values[])
{
	size_t begin = wire_begin(bytes, kind);

	for (int i = 0; i < n; i++)
		wire_int(bytes, values[i]);
	wire_finish(bytes, begin);
}

void wire_say(struct wire_bytes *bytes, enum wire_kind kind, const char *text)
{
	size_t begin = wire_begin(bytes, kind);

	wire_text(bytes, text);
	wire_finish(bytes, begin);
}

int wire_read_int(struct wire_frame *frame)
{
	if (frame->size < 4) {
		frame->bad = true;
		return 0;
	}
	frame->at += 4;
	frame->size -= 4;
	return (int)decode(frame->at - 4);
}

const char *wire_read_text(struct wire_frame *frame)
{
	const unsigned char *end = frame->size ? memchr(frame->at, 0, frame->size) : NULL;
	const char *text = (const char *)frame->at;

	if (!end) {
		frame->bad = true;
		return "";
	}
	frame->size -= (size_t)(end + 1 - frame->at);
	frame->at = end + 1;
	return text;
}

bool wire_receive(struct wire_channel *channel)
{
	static unsigned char chunk[WIRE_CHUNK];
	ssize_t got = read(channel->in, chunk, sizeof chunk);

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	wire_append(&channel->got, chunk, (size_t)got);
	return got > 0;
}

bool wire_next(struct wire_channel *channel, struct wire_frame *frame)
{
	wire_drop(&channel->got, channel->taken);
	channel->taken = 0;
	if (channel->broken || channel->got.used < HEADER)
		return false;
	size_t size = decode(channel->got.data + 4);

	if (size > LARGEST) {
		channel->broken = true;
		return false;
	}
	if (channel->got.used < HEADER + size)
		return false;
	*frame = (struct wire_frame){
		.kind = (enum wire_kind)decode(channel->got.data),
		.at = channel->got.data + HEADER,
		.size = size,
	};
	channel->taken = HEADER + size;
	return true;
}

ssize_t wire_write_some(int fd, const void *data, size_t size)
{
	ssize_t done = send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	if (done >= 0 || errno != ENOTSOCK)
		return done;
	if (poll(&ready, 1, 0) <= 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, data, size < PIPE_BUF ? size : PIPE_BUF);
}

bool wire_flush(struct wire_channel *channel)
{
	size_t done = 0;
	bool lives = channel->out >= 0;

	while (lives && done < channel->queue.used) {
		ssize_t now = wire_write_some(channel->out, channel->queue.data + done,
					      channel->queue.used - done);

		if (now >= 0)
			done += (size_t)now;
		else if (errno == EAGAIN)
			break;
		else
			lives = errno == EINTR;
	}
	wire_drop(&channel->queue, lives ? done : channel->queue.used);
	return lives;
}

void wire_close(struct wire_channel *channel)
{
	if (channel->in >= 0)
		close(channel->in);
	if (channel->out >= 0 && channel->out != channel->in)
		close(channel->out);
	free(channel->got.data);
	free(channel->queue.data);
	*channel = (struct wire_channel){.in = -1, .out = -1};
}
