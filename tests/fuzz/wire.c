/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz wire - what another host can send: addresses, a HELLO, heads of frames, whole frames into
 * posted receives; and the choice of interfaces.  Any bytes are refused in words, or mean what they
 * say when they are written again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/crc32c.h"
#include "transport/tcp_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void blob(const uint8_t *data, size_t size)
{
	unsigned char bytes[TT_TCP_BLOB] = {0}, again[TT_TCP_BLOB];
	struct tt_tcp_card card, twice;
	char text[TT_TCP_TEXT];

	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	if (tt_tcp_card_read(bytes, &card))
		return;
	tt_tcp_card_write(&card, again);
	if (tt_tcp_card_read(again, &twice) ||
	    memcmp(card.addresses, twice.addresses, sizeof card.addresses) != 0)
		abort();
	for (int i = 0; i < card.naddresses; i++)
		if (strlen(tt_tcp_address_text(&card.addresses[i], text)) < 3)
			abort();
}

static void hello(const uint8_t *data, size_t size)
{
	unsigned char bytes[TT_TCP_HELLO] = {0}, again[TT_TCP_HELLO];
	struct tt_tcp_hello said;

	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	const char *wrong = tt_tcp_hello_read(bytes, sizeof bytes, 1, 4, 2, &said);
	for (size_t n = 0; n < sizeof bytes; n++)
		if (tt_tcp_hello_read(bytes, n, 1, 4, 2, &said) && !wrong)
			abort();
	if (wrong)
		return;
	tt_tcp_hello_read(bytes, sizeof bytes, 1, 4, 2, &said);
	tt_tcp_hello_write(&said, again);
	if (said.from < 0 || said.from > 3 || said.from == 1 || said.stream > 1 ||
	    memcmp(bytes, again, sizeof bytes) != 0)
		abort();
}

static void head(const uint8_t *data, size_t size, bool checksum)
{
	unsigned char bytes[TT_TCP_FRAME] = {0}, again[TT_TCP_FRAME];
	struct tt_tcp_frame frame;

	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	if (tt_tcp_frame_read(bytes, checksum, 1000, false, &frame))
		return;
	tt_tcp_frame_write(&frame, checksum, again);
	if (frame.at < 1000 || !frame.bytes || memcmp(bytes, again, sizeof bytes) != 0)
		abort();
}

static void interfaces(const uint8_t *data, size_t size)
{
	struct tt_interfaces choice;
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = 0;
	if (tt_interfaces_parse(text, &choice)) {
		if (!strstr(totum_errmsg(), "TOTUM_INTERFACES"))
			abort();
	} else if (choice.n < 1 || choice.n > TT_INTERFACE_ITEMS) {
		abort();
	}
	free(text);
}

/* Makes the checksums of frames right, as far as there are frames. */
static void check_in(uint8_t *data, size_t size)
{
	for (size_t at = 0; at + TT_TCP_FRAME <= size;) {
		struct tt_tcp_frame frame = {0};
		for (size_t i = 0; i < 4; i++)
			frame.bytes |= (uint32_t)data[at + 4 + i] << 8 * i;
		for (size_t i = 0; i < 8; i++)
			frame.at |= (uint64_t)data[at + 8 + i] << 8 * i;
		size_t left = size - at - TT_TCP_FRAME,
		       bytes = frame.bytes < left ? frame.bytes : left;
		frame.crc = tt_crc32c(0, data + at + TT_TCP_FRAME, bytes);
		tt_tcp_frame_write(&frame, true, data + at);
		at += TT_TCP_FRAME + bytes;
	}
}

enum { RECEIVES = 5 };

/* Frames on one of two connections, for receives of a few sizes, the last two started late. */
static void frames(const uint8_t *data, size_t size, int streams, bool checksum)
{
	static const size_t sizes[RECEIVES] = {3, 0, 100, 17, 5000};
	struct tt_transfer_state transfers[RECEIVES];
	struct tt_span spans[RECEIVES];
	struct tt_tcp_peer *peers = calloc(2, sizeof *peers);
	struct tt_endpoint endpoint = {
		.nranks = 2, .streams = streams, .checksum = checksum, .peers = peers};
	struct tt_tcp_conn *conn = calloc(1, sizeof *conn);
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds))
		abort();
	peers[1].sends.tail = &peers[1].sends.head;
	peers[1].receives.tail = &peers[1].receives.head;
	conn->endpoint = &endpoint;
	conn->fd = fds[0];
	conn->peer = 1;
	conn->state = TT_TCP_OPEN;
	conn->readable = true;
	peers[1].conns[0] = conn;
	uint8_t *bytes = malloc(size + 1);
	memcpy(bytes, data, size);
	if (checksum && size % 8) /* some stay as they are */
		check_in(bytes, size);
	if (write(fds[1], bytes, size) < 0)
		abort();
	free(bytes);
	close(fds[1]);
	totum_status status = TOTUM_OK;
	for (int i = 0; i < RECEIVES; i++) {
		spans[i] = (struct tt_span){malloc(sizes[i] + !sizes[i]), sizes[i]};
		transfers[i] =
			(struct tt_transfer_state){.spans = &spans[i], .nspans = 1, .peer = 1};
		tt_transfers_add(&peers[1].receives, &transfers[i]);
		for (int turn = 0; i >= 2 && turn < 100 && !status; turn++) {
			status = tt_tcp_move(conn);
			endpoint.try_conns = NULL;
			if (!conn->queued)
				break;
			conn->queued = false;
		}
	}
	for (int i = 0; i < RECEIVES; i++)
		free(spans[i].at);
	close(fds[0]);
	free(conn->stage);
	free(conn);
	free(peers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 9) {
	case 0: blob(data + 1, size - 1); break;
	case 1: hello(data + 1, size - 1); break;
	case 2: head(data + 1, size - 1, false); break;
	case 3: head(data + 1, size - 1, true); break;
	case 4: interfaces(data + 1, size - 1); break;
	case 5: frames(data + 1, size - 1, 1, false); break;
	case 6: frames(data + 1, size - 1, 2, false); break;
	case 7: frames(data + 1, size - 1, 1, true); break;
	default: frames(data + 1, size - 1, 2, true); break;
	}
	return 0;
}
