/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz meeting - what comes to a meeting from outside: roots, ids, lists of hosts, lines of a
 * process manager, packets of other ranks.  Any bytes are refused, or mean something whole.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/nodelist.h"
#include "launch/pmi_client.h"
#include "launch/tcp_meeting.h"
#include "launch/unique_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void root(const char *text)
{
	struct tt_place place;

	tt_place_looks_like(text);
	if (tt_place_parse(text, &place))
		return;
	if (place.port < 1 || place.port > 65535 || place.nhosts < 1 || place.nhosts > TT_PLACES)
		abort();
	for (int i = 0; i < place.nhosts; i++)
		if (!place.host[i][0] || place.host[i] < place.hosts ||
		    place.host[i] + strlen(place.host[i]) >= place.hosts + sizeof place.hosts)
			abort();
}

static void id(const uint8_t *data, size_t size)
{
	char bytes[TT_ID] = {0}, where[TT_ROOT], secret[TT_SECRET];
	struct tt_place place;

	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	if (tt_unique_id_read(bytes, where, secret))
		return;
	if (strlen(secret) != 32 || tt_place_parse(where, &place))
		abort();
}

static void list(const char *text)
{
	char all[600], little[8];

	bool good = tt_nodelist_first(text, all, sizeof all);
	if (good && (!all[0] || strlen(all) > strlen(text)))
		abort();
	if (tt_nodelist_first(text, little, sizeof little) && (!good || strcmp(all, little) != 0))
		abort();
}

static void line(const char *text)
{
	char value[16];

	if (tt_pmi_field(text, "rc", value, sizeof value) && !strstr(text, value))
		abort();
}

static void packets(const uint8_t *data, size_t size)
{
	unsigned char bytes[TT_MEETING_TERMS] = {0}, again[TT_MEETING_TERMS];
	struct tt_meeting_head head;
	struct tt_terms terms = {0};
	int rank = -1;

	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	const char *wrong = tt_meeting_hello_read(bytes, TT_TCP_HELLO, &rank);
	if (!wrong && (rank < 0 || rank >= TT_RANKS))
		abort();
	for (size_t n = 0; n < TT_TCP_HELLO && !wrong; n++)
		if (tt_meeting_hello_read(bytes, n, &rank))
			abort();
	if (tt_meeting_head_read(bytes, &head)) {
		tt_meeting_head_write(&head, again);
		if (memcmp(bytes, again, TT_MEETING_HEAD) != 0)
			abort();
	}
	tt_meeting_terms_read(bytes, &terms);
	if (terms.nranks < 0 || strnlen(terms.algo, TT_ALGO) == TT_ALGO)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512];

	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	root(text);
	list(text);
	line(text);
	id(data, size);
	packets(data, size);
	return 0;
}
