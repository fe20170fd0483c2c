/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unique_id - writes and reads ids, and keeps the doors of those that wait for their communicator.
 *
 * The doors of an id must be open from the moment it is told to others, and belong to no
 * communicator yet: hence the table of the process.
 */
#include "launch/unique_id.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "launch/place.h"
#ifdef TOTUM_TCP
#include "launch/tcp_gate.h"
#include "transport/tcp_address.h"
#endif

static const char magic[] = "totum1:";

/* Where the parts of an id begin, and the room that hosts have. */
enum {
	SECRET_BYTES = 16,
	AT_SECRET = sizeof magic - 1,
	AT_HOSTS = AT_SECRET + 2 * SECRET_BYTES + 1,
	HOSTS = TT_ID - AT_HOSTS - (sizeof ":65535" - 1)
};

totum_status tt_unique_id_secret(char *text)
{
	unsigned char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return tt_fail(TOTUM_ESYSTEM, "the system gives no random bytes: %s",
			       strerror(errno));
	for (int i = 0; i < SECRET_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return TOTUM_OK;
}

totum_status tt_unique_id_read(const char id[static TT_ID], char root[static TT_ROOT],
			       char secret[static TT_SECRET])
{
	struct tt_place place;
	size_t length = strnlen(id, TT_ID);

	if (length < AT_HOSTS || length == TT_ID || strncmp(id, magic, AT_SECRET) ||
	    strspn(id + AT_SECRET, "0123456789abcdef") != 2 * SECRET_BYTES ||
	    id[AT_HOSTS - 1] != ':')
		return tt_fail(TOTUM_EINVAL,
			       "this is not an id that totum_unique_id_create made; "
			       "copy all %d bytes of it to every rank",
			       TT_ID);
	snprintf(root, TT_ROOT, "tcp://%s", id + AT_HOSTS);
	snprintf(secret, TT_SECRET, "%.*s", 2 * SECRET_BYTES, id + AT_SECRET);
	return tt_place_parse(root, &place);
}

#ifdef TOTUM_TCP

/* The addresses of this host that are chosen, as hosts of a place; as many as there is room for. */
static totum_status list_hosts(const char *interfaces, char out[static HOSTS])
{
	struct tt_tcp_address addresses[TT_TCP_ADDRESSES];
	char number[INET6_ADDRSTRLEN];
	int n;
	size_t at = 0;
	totum_status status = tt_interfaces_find(interfaces, addresses, &n);

	for (int i = 0, hosts = 0; i < n && !status && hosts < TT_PLACES; i++) {
		bool v6 = addresses[i].family == 6;
		inet_ntop(v6 ? AF_INET6 : AF_INET, addresses[i].bytes, number, sizeof number);
		if (at + strlen(number) + sizeof ",[]" > HOSTS)
			continue;
		at += (size_t)snprintf(out + at, HOSTS - at, v6 ? "%s[%s]" : "%s%s", at ? "," : "",
				       number);
		hosts++;
	}
	return status;
}

totum_status tt_unique_id_make(const struct tt_settings *settings, char id[static TT_ID],
			       struct tt_doors *doors)
{
	char hosts[HOSTS], root[TT_ROOT];
	struct tt_place place;

	memset(id, 0, TT_ID);
	strcpy(id, magic);
	totum_status status = tt_unique_id_secret(id + AT_SECRET);
	if (!status)
		status = list_hosts(settings->interfaces, hosts);
	if (status)
		return status;
	/* a place must have a port; here the doors choose it */
	snprintf(root, sizeof root, "tcp://%s:1", hosts);
	status = tt_place_parse(root, &place);
	place.port = 0;
	if (!status)
		status = tt_doors_open(&place, doors);
	if (!status)
		snprintf(id + AT_HOSTS - 1, TT_ID - AT_HOSTS + 1, ":%s:%u", hosts,
			 (unsigned)(uint16_t)place.port);
	return status;
}

/* --- ids of this process --------------------------------------------------------------------- */

enum { MOST_IDS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* under lock; id "": free */
static struct {
	char id[TT_ID];
	pid_t owner; /* a forked child has the sockets too, and is not the one who keeps the door */
	struct tt_doors doors;
} kept[MOST_IDS];

totum_status tt_unique_id_keep(const char id[static TT_ID], const struct tt_doors *doors)
{
	totum_status status = TOTUM_EUSAGE;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MOST_IDS && status; i++) {
		if (kept[i].id[0])
			continue;
		memcpy(kept[i].id, id, TT_ID);
		kept[i].doors = *doors;
		kept[i].owner = getpid();
		status = TOTUM_OK;
	}
	pthread_mutex_unlock(&lock);
	return status ? tt_fail(status,
				"this process has made %d ids for which it has created no "
				"communicator; make an id when it is needed",
				MOST_IDS)
		      : TOTUM_OK;
}

bool tt_unique_id_take(const char id[static TT_ID], struct tt_doors *doors)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < MOST_IDS && !found; i++) {
		found = kept[i].owner == getpid() && !memcmp(kept[i].id, id, TT_ID);
		if (!found)
			continue;
		*doors = kept[i].doors;
		kept[i].id[0] = 0;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

#endif
