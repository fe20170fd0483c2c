/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_address.h - which addresses of a host are used, and the blob that tells others of them. */
#ifndef TT_TCP_ADDRESS_H
#define TT_TCP_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/hostname.h"
#include "transport/tcp.h"

enum {
	TT_TCP_ADDRESSES = 16,
	TT_TCP_ID = 16,
	TT_TCP_HOST = TT_HOST_NAME,
	TT_TCP_TEXT = 56,
	TT_INTERFACE_ITEMS = 16
};

/* One address; port in host order. */
struct tt_tcp_address {
	uint8_t family; /* 4 or 6 */
	uint8_t prefix; /* bits of its subnet */
	uint16_t port;
	unsigned char bytes[16]; /* of IPv4 the first 4 */
};

/* What a blob says. */
struct tt_tcp_card {
	unsigned char id[TT_TCP_ID]; /* random: this endpoint and no other */
	char host[TT_TCP_HOST];
	int streams;
	bool checksum, encrypt;
	int naddresses;
	struct tt_tcp_address addresses[TT_TCP_ADDRESSES];
};

void tt_tcp_card_write(const struct tt_tcp_card *card, unsigned char blob[static TT_TCP_BLOB]);
/* Pure; checks every field.  TOTUM_EINVAL with a sentence. */
totum_status tt_tcp_card_read(const unsigned char blob[static TT_TCP_BLOB],
			      struct tt_tcp_card *card);

/* TT_TCP_HOST bytes of a blob as a name; false when they are none. */
bool tt_tcp_host_read(const unsigned char *at, char out[static TT_TCP_HOST]);

socklen_t tt_tcp_sockaddr(const struct tt_tcp_address *address, struct sockaddr_storage *out);
/* "10.0.0.1:4000" or "[fd00::1]:4000". */
const char *tt_tcp_address_text(const struct tt_tcp_address *address,
				char text[static TT_TCP_TEXT]);
const char *tt_tcp_sockaddr_text(const struct sockaddr_storage *from,
				 char text[static TT_TCP_TEXT]);

/* A choice of interfaces: names, beginnings of names, addresses, subnets; or all but these. */
struct tt_interfaces {
	bool excludes;
	int n;
	struct tt_interface_item {
		char name[16];               /* "" of an address or subnet */
		struct tt_tcp_address subnet;
	} items[TT_INTERFACE_ITEMS];
};
/* Pure.  TOTUM_EINVAL with a sentence that names TOTUM_INTERFACES. */
totum_status tt_interfaces_parse(const char *text, struct tt_interfaces *out);
/*
 * Addresses of this host's interfaces that are up, port 0.  Without a choice the loopback
 * addresses are used only where there are no others.  TOTUM_EINVAL when the choice fits none; the
 * sentence lists what there is.
 */
totum_status tt_interfaces_find(const char *text,
				struct tt_tcp_address out[static TT_TCP_ADDRESSES], int *n);

#endif
