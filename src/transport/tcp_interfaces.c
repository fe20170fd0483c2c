/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_interfaces - TOTUM_INTERFACES: a list of interface names, beginnings of names, addresses and
 * subnets, separated by commas; behind a ^ all but these.  A name that an interface has is that
 * interface; any other is a beginning.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/tcp_address.h"

/* "10.0.0.0/8", "fd00::1"; false when it is neither an address nor a subnet. */
static bool parse_subnet(const char *item, struct tt_tcp_address *out)
{
	char number[INET6_ADDRSTRLEN + 1];
	size_t length = strcspn(item, "/");
	unsigned bits = 0;

	if (length >= sizeof number)
		return false;
	memcpy(number, item, length);
	number[length] = 0;
	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, number, out->bytes) == 1)
		out->family = 4;
	else if (inet_pton(AF_INET6, number, out->bytes) == 1)
		out->family = 6;
	else
		return false;
	unsigned most = out->family == 4 ? 32 : 128;
	bits = most;
	if (item[length]) {
		const char *digit = item + length + 1;
		if (!*digit || strlen(digit) > 3)
			return false;
		for (bits = 0; *digit >= '0' && *digit <= '9'; digit++)
			bits = bits * 10 + (unsigned)(*digit - '0');
		if (*digit || bits > most)
			return false;
	}
	out->prefix = (uint8_t)bits;
	return true;
}

static bool parse_name(const char *item, char out[static 16])
{
	size_t length = strlen(item);

	if (!length || length > 15)
		return false;
	for (size_t i = 0; i < length; i++)
		if (item[i] <= ' ' || item[i] > '~' || strchr("/^,=*", item[i]))
			return false;
	memcpy(out, item, length + 1);
	return true;
}

totum_status tt_interfaces_parse(const char *text, struct tt_interfaces *out)
{
	const char *at = text;

	memset(out, 0, sizeof *out);
	out->excludes = *at == '^';
	at += out->excludes;
	for (;;) {
		char item[64] = "";
		size_t length = strcspn(at, ",");
		struct tt_interface_item *into = &out->items[out->n];
		if (out->n == TT_INTERFACE_ITEMS)
			return tt_fail(TOTUM_EINVAL,
				       "TOTUM_INTERFACES=\"%.60s\" has more than %d items; "
				       "give fewer, or a subnet that holds them",
				       text, TT_INTERFACE_ITEMS);
		if (length < sizeof item)
			memcpy(item, at, length);
		if (!parse_subnet(item, &into->subnet) && !parse_name(item, into->name))
			return tt_fail(TOTUM_EINVAL,
				       "TOTUM_INTERFACES=\"%.60s\": \"%.*s\" is no interface, "
				       "address or subnet; write like \"eth0,ib\", \"10.1.0.0/16\" "
				       "or, for all but some, \"^docker,lo\"",
				       text, (int)(length < 60 ? length : 60), at);
		out->n++;
		if (!at[length])
			return TOTUM_OK;
		at += length + 1;
	}
}

static bool in_subnet(const struct tt_tcp_address *address, const struct tt_tcp_address *subnet)
{
	if (address->family != subnet->family)
		return false;
	for (int bit = 0; bit < subnet->prefix; bit++)
		if ((address->bytes[bit / 8] ^ subnet->bytes[bit / 8]) >> (7 - bit % 8) & 1)
			return false;
	return true;
}

static bool has_name(const struct ifaddrs *all, const char *name)
{
	for (; all; all = all->ifa_next)
		if (!strcmp(all->ifa_name, name))
			return true;
	return false;
}

static bool chosen(const struct tt_interfaces *choice, const struct ifaddrs *all, const char *name,
		   const struct tt_tcp_address *address)
{
	for (int i = 0; i < choice->n; i++) {
		const struct tt_interface_item *item = &choice->items[i];
		bool fits = item->name[0]
				    ? !strcmp(item->name, name) ||
					      (!strncmp(item->name, name, strlen(item->name)) &&
					       !has_name(all, item->name))
				    : in_subnet(address, &item->subnet);
		if (fits)
			return !choice->excludes;
	}
	return choice->excludes;
}

static uint8_t count_bits(const unsigned char *mask, int bytes)
{
	uint8_t bits = 0;

	for (int i = 0; i < bytes; i++)
		bits = (uint8_t)(bits + __builtin_popcount(mask[i]));
	return bits;
}

/* False of what is no use: not IP, down, or an address that needs its interface to be named. */
static bool read_interface(const struct ifaddrs *from, struct tt_tcp_address *out)
{
	memset(out, 0, sizeof *out);
	if (!from->ifa_addr || !from->ifa_netmask || !(from->ifa_flags & IFF_UP))
		return false;
	if (from->ifa_addr->sa_family == AF_INET) {
		out->family = 4;
		memcpy(out->bytes, &((const struct sockaddr_in *)from->ifa_addr)->sin_addr, 4);
		out->prefix = count_bits(
			(const unsigned char *)&((const struct sockaddr_in *)from->ifa_netmask)
				->sin_addr,
			4);
		return true;
	}
	if (from->ifa_addr->sa_family != AF_INET6)
		return false;
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)from->ifa_addr)->sin6_addr;
	out->family = 6;
	memcpy(out->bytes, in6, 16);
	out->prefix = count_bits(
		(const unsigned char *)&((const struct sockaddr_in6 *)from->ifa_netmask)->sin6_addr,
		16);
	return !IN6_IS_ADDR_LINKLOCAL(in6);
}

static int collect(const struct ifaddrs *all, const struct tt_interfaces *choice, bool loopback,
		   struct tt_tcp_address out[static TT_TCP_ADDRESSES])
{
	struct tt_tcp_address address;
	int n = 0;

	for (const struct ifaddrs *each = all; each && n < TT_TCP_ADDRESSES;
	     each = each->ifa_next) {
		if (!read_interface(each, &address))
			continue;
		if (choice ? chosen(choice, all, each->ifa_name, &address)
			   : !(each->ifa_flags & IFF_LOOPBACK) == !loopback)
			out[n++] = address;
	}
	return n;
}

static totum_status fits_none(const char *text, const struct ifaddrs *all)
{
	char list[400] = "", number[INET6_ADDRSTRLEN] = "";
	struct tt_tcp_address address;
	size_t at = 0;

	for (const struct ifaddrs *each = all; each && at + 80 < sizeof list;
	     each = each->ifa_next) {
		if (!read_interface(each, &address))
			continue;
		inet_ntop(address.family == 4 ? AF_INET : AF_INET6, address.bytes, number,
			  sizeof number);
		at += (size_t)snprintf(list + at, sizeof list - at, "%s%.15s %s", at ? ", " : "",
				       each->ifa_name, number);
	}
	return tt_fail(TOTUM_EINVAL,
		       "TOTUM_INTERFACES=\"%.60s\" fits no interface of this host; it has %s", text,
		       at ? list : "none with an address");
}

totum_status tt_interfaces_find(const char *text,
				struct tt_tcp_address out[static TT_TCP_ADDRESSES], int *n)
{
	struct tt_interfaces choice;
	struct ifaddrs *all;
	bool chooses = text && *text;
	totum_status status = chooses ? tt_interfaces_parse(text, &choice) : TOTUM_OK;

	if (status)
		return status;
	if (getifaddrs(&all))
		return tt_fail(TOTUM_ESYSTEM, "cannot list the network interfaces of this host: %s",
			       strerror(errno));
	*n = collect(all, chooses ? &choice : NULL, false, out);
	if (!*n && !chooses)
		*n = collect(all, NULL, true, out);
	if (!*n)
		status = chooses ? fits_none(text, all)
				 : tt_fail(TOTUM_ESYSTEM,
					   "no network interface of this host "
					   "is up with an address; see `ip addr`");
	freeifaddrs(all);
	return status;
}
