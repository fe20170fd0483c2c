/* SPDX-License-Identifier: BSD-3-Clause */
/* place - reads a root "tcp://HOST:PORT"; nothing is asked of the network. */
#include "launch/place.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/units.h"

static const char scheme[] = "tcp://";

bool tt_place_looks_like(const char *root)
{
	if (!strncmp(root, scheme, sizeof scheme - 1))
		return true;
	if (!strncmp(root, "local:", 6) || !strncmp(root, "file:", 5))
		return false;
	const char *bracket = root[0] == '[' ? strchr(root, ']') : NULL;
	const char *colon = strchr(bracket ? bracket : root, ':');
	return colon && colon > root && colon[1] >= '0' && colon[1] <= '9';
}

static totum_status refuse(const char *root, const char *why)
{
	return tt_fail(TOTUM_EINVAL,
		       "the root \"%.200s\" %s; write tcp://HOST:PORT, an IPv6 "
		       "address in brackets",
		       root, why);
}

/* One host, in place: its brackets go.  What is wrong with it, or NULL. */
static const char *read_host(char *text, const char **out)
{
	unsigned char number[sizeof(struct in6_addr)];
	size_t length = strlen(text);

	if (text[0] == '[') {
		if (text[length - 1] != ']')
			return "has a bracket that is not closed";
		text[length - 1] = 0;
		text++;
		if (inet_pton(AF_INET6, text, number) != 1)
			return "has no IPv6 address in its brackets";
	} else if (!length || strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789.-_") != length) {
		return strchr(text, ':') ? "has an IPv6 address without brackets"
					 : "has no host, or one that cannot be a name";
	}
	*out = text;
	return NULL;
}

totum_status tt_place_parse(const char *root, struct tt_place *out)
{
	int64_t port;

	*out = (struct tt_place){0};
	if (strlen(root) >= sizeof out->root)
		return refuse(root, "is too long");
	strcpy(out->root, root);
	char *name = strchr(out->root, '#');
	if (name) {
		strcpy(out->name, name + 1);
		*name = 0;
	}
	strcpy(out->hosts, out->root + (strncmp(root, scheme, 6) ? 0 : sizeof scheme - 1));
	char *colon = strrchr(out->hosts, ':');
	if (!colon || strchr(colon, ']'))
		return refuse(root, "has no port");
	*colon = 0;
	if (tt_parse_int(colon + 1, 1, 65535, &port))
		return refuse(root, "has no port from 1 to 65535");
	out->port = (int)port;
	for (char *at = out->hosts, *next; at; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		if (out->nhosts == TT_PLACES)
			return refuse(root, "has more than eight hosts");
		const char *wrong = read_host(at, &out->host[out->nhosts++]);
		if (wrong)
			return refuse(root, wrong);
	}
	return TOTUM_OK;
}
