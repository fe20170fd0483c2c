/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_address - the blob of a listener: fixed size, little endian; reading checks every field. */
#include "transport/tcp_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the fields of a blob are. */
enum {
	AT_COUNT = 5,
	AT_STREAMS = 6,
	AT_FLAGS = 7,
	AT_ID = 8,
	AT_HOST = AT_ID + TT_TCP_ID,
	AT_ADDRESSES = AT_HOST + TT_TCP_HOST,
	ADDRESS_BYTES = 20,
	FLAG_CHECKSUM = 1,
	FLAG_ENCRYPT = 2
};
_Static_assert(AT_ADDRESSES + TT_TCP_ADDRESSES * ADDRESS_BYTES == TT_TCP_BLOB, "a blob's size");

static const char magic[5] = {'T', 'T', 'C', 'P', 1};

void tt_tcp_card_write(const struct tt_tcp_card *card, unsigned char blob[static TT_TCP_BLOB])
{
	memset(blob, 0, TT_TCP_BLOB);
	memcpy(blob, magic, sizeof magic);
	blob[AT_COUNT] = (unsigned char)card->naddresses;
	blob[AT_STREAMS] = (unsigned char)card->streams;
	blob[AT_FLAGS] = (unsigned char)((card->checksum ? FLAG_CHECKSUM : 0) |
					 (card->encrypt ? FLAG_ENCRYPT : 0));
	memcpy(blob + AT_ID, card->id, TT_TCP_ID);
	memcpy(blob + AT_HOST, card->host, strnlen(card->host, TT_TCP_HOST - 1));
	for (int i = 0; i < card->naddresses; i++) {
		unsigned char *at = blob + AT_ADDRESSES + i * ADDRESS_BYTES;
		const struct tt_tcp_address *address = &card->addresses[i];
		at[0] = address->family;
		at[1] = address->prefix;
		at[2] = (unsigned char)(address->port & 0xff);
		at[3] = (unsigned char)(address->port >> 8);
		memcpy(at + 4, address->bytes, 16);
	}
}

static bool read_address(const unsigned char *at, struct tt_tcp_address *out)
{
	*out = (struct tt_tcp_address){.family = at[0],
				       .prefix = at[1],
				       .port = (uint16_t)(at[2] | at[3] << 8)};
	memcpy(out->bytes, at + 4, 16);
	return out->port && ((out->family == 4 && out->prefix <= 32) ||
			     (out->family == 6 && out->prefix <= 128));
}

bool tt_tcp_host_read(const unsigned char *at, char out[static TT_TCP_HOST])
{
	memcpy(out, at, TT_TCP_HOST);
	if (out[TT_TCP_HOST - 1])
		return false;
	for (const char *c = out; *c; c++)
		if (*c <= ' ' || *c > '~')
			return false;
	return true;
}

totum_status tt_tcp_card_read(const unsigned char blob[static TT_TCP_BLOB],
			      struct tt_tcp_card *card)
{
	memset(card, 0, sizeof *card);
	card->naddresses = blob[AT_COUNT];
	card->streams = blob[AT_STREAMS];
	card->checksum = blob[AT_FLAGS] & FLAG_CHECKSUM;
	card->encrypt = blob[AT_FLAGS] & FLAG_ENCRYPT;
	memcpy(card->id, blob + AT_ID, TT_TCP_ID);
	if (memcmp(blob, magic, sizeof magic))
		return tt_fail(TOTUM_EINVAL,
			       "these are not the addresses of a rank, or those of "
			       "another version of totum; use the same version on all hosts");
	if (card->naddresses < 1 || card->naddresses > TT_TCP_ADDRESSES || card->streams < 1 ||
	    card->streams > TT_TCP_STREAMS || blob[AT_FLAGS] > (FLAG_CHECKSUM | FLAG_ENCRYPT) ||
	    !tt_tcp_host_read(blob + AT_HOST, card->host))
		return tt_fail(TOTUM_EINVAL,
			       "the addresses of a rank are damaged: exchange them as they are");
	for (int i = 0; i < card->naddresses; i++)
		if (!read_address(blob + AT_ADDRESSES + i * ADDRESS_BYTES, &card->addresses[i]))
			return tt_fail(TOTUM_EINVAL,
				       "address %d of a rank is damaged: exchange them as they are",
				       i);
	return TOTUM_OK;
}

socklen_t tt_tcp_sockaddr(const struct tt_tcp_address *address, struct sockaddr_storage *out)
{
	memset(out, 0, sizeof *out);
	if (address->family == 4) {
		struct sockaddr_in *in = (struct sockaddr_in *)out;
		in->sin_family = AF_INET;
		in->sin_port = htons(address->port);
		memcpy(&in->sin_addr, address->bytes, 4);
		return sizeof *in;
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(address->port);
	memcpy(&in6->sin6_addr, address->bytes, 16);
	return sizeof *in6;
}

const char *tt_tcp_address_text(const struct tt_tcp_address *address, char text[static TT_TCP_TEXT])
{
	char number[INET6_ADDRSTRLEN] = "?";

	inet_ntop(address->family == 4 ? AF_INET : AF_INET6, address->bytes, number, sizeof number);
	snprintf(text, TT_TCP_TEXT, address->family == 4 ? "%s:%u" : "[%s]:%u", number,
		 address->port);
	return text;
}

const char *tt_tcp_sockaddr_text(const struct sockaddr_storage *from, char text[static TT_TCP_TEXT])
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
	struct tt_tcp_address address = {.family = from->ss_family == AF_INET ? 4 : 6};

	address.port = ntohs(address.family == 4 ? in->sin_port : in6->sin6_port);
	if (address.family == 4)
		memcpy(address.bytes, &in->sin_addr, 4);
	else
		memcpy(address.bytes, &in6->sin6_addr, 16);
	return tt_tcp_address_text(&address, text);
}
