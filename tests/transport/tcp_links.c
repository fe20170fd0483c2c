/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_links - addresses that lead nowhere or to others, damage on the way, settings that differ,
 * choices of interfaces.
 */
#include "transport/crc32c.h"
#include "transport/pair.h"

static struct tt_tcp_options v4(int streams, bool checksum)
{
	return (struct tt_tcp_options){
		.interfaces = "127.0.0.1", .streams = streams, .checksum = checksum};
}

static void exchange(struct pair *pair, size_t bytes)
{
	int who;

	ok(pair_exchange(pair, bytes, NULL, &who));
}

/* The first address leads nowhere, the second back here, the third refuses; the last is right. */
static void many_addresses(void)
{
	struct pair pair;

	for (int way = 0; way < 2; way++) {
		pair_listen(&pair, v4(1, false));
		struct tt_tcp_address closed = pair_address(&pair, 1 - way);
		closed.port = 1;
		struct tt_tcp_address addresses[] = {nowhere, pair_address(&pair, way), closed,
						     pair_address(&pair, 1 - way)};
		pair_readdress(&pair, way, addresses, 4);
		pair_readdress(&pair, 1 - way, &mute, 1);
		pair_open(&pair);
		uint64_t began = tt_clock_ns();
		exchange(&pair, 10000);
		if (tt_clock_ns() - began > 10000000000)
			fail("took %.1f s", (double)(tt_clock_ns() - began) * 1e-9);
		pair_close(&pair);
	}
}

/* Both begin at once, over and over; in the end there is one connection a stream. */
static void both_at_once(void)
{
	for (int streams = 1; streams <= 4; streams += 3)
		for (int i = 0; i < 50; i++) {
			struct pair pair;
			struct tt_transfer_state transfers[4];
			unsigned char bytes[4] = {1, 2, 0, 0};
			struct tt_span spans[4];
			uint64_t idle_since = 0;
			bool moved[2];
			int who;
			pair_listen(&pair, v4(streams, false));
			pair_open(&pair);
			int before = descriptors();
			for (int t = 0; t < 4; t++) {
				spans[t] = (struct tt_span){&bytes[t], 1};
				transfers[t] = (struct tt_transfer_state){
					.spans = &spans[t], .nspans = 1, .peer = 1 - t % 2};
				ok(t < 2 ? tt_transport_tcp.send(pair.ends[t], &transfers[t])
					 : tt_transport_tcp.receive(pair.ends[t - 2],
								    &transfers[t]));
			}
			while (!transfers[0].done || !transfers[1].done || !transfers[2].done ||
			       !transfers[3].done)
				ok(pair_turn(&pair, NULL, &idle_since, moved, &who));
			if (bytes[2] != 2 || bytes[3] != 1)
				fail("wrong bytes");
			exchange(&pair, 100000);
			for (int look = 0; look < 500 && descriptors() != before + 2 * streams;
			     look++)
				pair_idle(&pair, 0.01);
			if (descriptors() != before + 2 * streams)
				fail("%d descriptors for %d streams", descriptors() - before,
				     streams);
			pair_close(&pair);
		}
}

static void turn_proxy(void *context)
{
	proxy_turn(context);
}

/* A bit that is wrong on the way: found by the checksum, and said with the link. */
static void damage(void)
{
	static const size_t places[] = {108, 112, 120, 124, 127, 130, 5000, 60000};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct pair pair;
		struct proxy proxy;
		int who;
		pair_listen(&pair, v4(1, true));
		proxy_open(&proxy, pair_address(&pair, 1));
		proxy.spoil = places[i];
		pair_readdress(&pair, 0, &proxy.here, 1);
		pair_readdress(&pair, 1, &mute, 1);
		pair_open(&pair);
		refused(pair_exchange(&pair, 90000, &(struct aside){turn_proxy, &proxy}, &who),
			TOTUM_ESYSTEM, "from rank 0 on host");
		if (!strstr(totum_errmsg(), "checksum") || who != 1)
			fail("byte %zu: rank %d says %s", places[i], who, totum_errmsg());
		proxy_close(&proxy);
		pair_close(&pair);
	}
}

/* Without checksums a head that makes no sense is still found. */
static void damaged_head(void)
{
	for (size_t place = 104; place < 104 + 20; place++) {
		struct pair pair;
		struct proxy proxy;
		int who;
		pair_listen(&pair, v4(1, false));
		pair.timeout = 1;
		proxy_open(&proxy, pair_address(&pair, 1));
		proxy.spoil = place;
		pair_readdress(&pair, 0, &proxy.here, 1);
		pair_readdress(&pair, 1, &mute, 1);
		pair_open(&pair);
		totum_status status =
			pair_exchange(&pair, 90000, &(struct aside){turn_proxy, &proxy}, &who);
		/* a longer one is possible, and the next head is then missed */
		bool length = place >= 108 && place < 112;
		if (status != TOTUM_ESYSTEM && !(length && (!status || status == TOTUM_ETIMEOUT)))
			fail("byte %zu of a head: %s", place,
			     status ? totum_errmsg() : "nobody minds");
		proxy_close(&proxy);
		pair_close(&pair);
	}
}

static void differs(void)
{
	struct tt_endpoint *endpoint;
	struct pair pair, other;
	const struct tt_tcp_options options[] = {v4(2, false), v4(1, true)};

	for (int i = 0; i < 2; i++) {
		pair_listen(&pair, v4(1, false));
		pair_listen(&other, options[i]);
		memcpy(pair.seen[0][1], other.blobs[1], TT_TCP_BLOB);
		struct tt_tcp_context context = {.rank = 0,
						 .nranks = 2,
						 .listener = pair.listeners[0],
						 .blobs = pair.seen[0][0],
						 .secret = "s",
						 .secret_bytes = 1,
						 .timeout_ns = 1000};
		refused(tt_transport_tcp.open(&context, &endpoint), TOTUM_EINVAL,
			i ? "TOTUM_CHECKSUM" : "TOTUM_STREAMS");
		memcpy(pair.seen[0][1], pair.blobs[1], TT_TCP_BLOB);
		pair.seen[0][1][5] = 17;
		refused(tt_transport_tcp.open(&context, &endpoint), TOTUM_EINVAL, "rank 1");
		for (int rank = 0; rank < 2; rank++) {
			tt_tcp_unlisten(pair.listeners[rank]);
			tt_tcp_unlisten(other.listeners[rank]);
		}
	}
}

/* Either it works or one line names the variable. */
static void interfaces(void)
{
	static const char *const works[] = {
		"", "lo", "lo,lo", "l", "127.0.0.1", "127.0.0.0/8", "0.0.0.0/0", "^nosuch0",
		"nosuch0,lo", "^10.0.0.0/8,nosuch0"};
	static const char *const wrong[] = {
		"nosuch0", "^", ",", "lo,", "lo,,lo", " lo", "lo lo", "127.0.0.0/33", "127.0.0.0/",
		"127.0.0.0/8x", "1::/129", "10.0.0", "^127.0.0.0/8,0.0.0.0/0,::/0", "=lo", "lo*",
		"^^lo", "a-name-that-is-too-long", "203.0.113.0/24",
		"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"};
	struct tt_tcp_address found[TT_TCP_ADDRESSES];
	char lengthy[301];
	int n;

	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		totum_status status = tt_interfaces_find(works[i], found, &n);
		if (status || n < 1)
			fail("\"%s\": %s", works[i], totum_errmsg());
		if (!strcmp(works[i], "127.0.0.1") &&
		    (n != 1 || found[0].family != 4 || found[0].bytes[0] != 127))
			fail("\"%s\" gives other addresses", works[i]);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		refused(tt_interfaces_find(wrong[i], found, &n), TOTUM_EINVAL, "TOTUM_INTERFACES");
	memset(lengthy, 'x', 300);
	lengthy[300] = 0;
	refused(tt_interfaces_find(lengthy, found, &n), TOTUM_EINVAL, "TOTUM_INTERFACES");
	if (tt_interfaces_find("^lo", found, &n)) { /* this host may have nothing else */
		if (!strstr(totum_errmsg(), "TOTUM_INTERFACES"))
			fail("\"^lo\": %s", totum_errmsg());
	} else {
		for (int i = 0; i < n; i++)
			if (found[i].family == 4 && found[i].bytes[0] == 127)
				fail("\"^lo\" gives a loopback address");
	}
}

static void checksum(void)
{
	unsigned char bytes[100];

	if (tt_crc32c(0, "123456789", 9) != 0xe3069283)
		fail("the value of RFC 3720 is not reached");
	memset(bytes, 0xff, 32);
	if (tt_crc32c(0, bytes, 32) != 0x62a8ab43)
		fail("the value of RFC 3720, B.4 is not reached");
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 37);
	for (size_t cut = 0; cut <= sizeof bytes; cut++)
		if (tt_crc32c(tt_crc32c(0, bytes, cut), bytes + cut, sizeof bytes - cut) !=
		    tt_crc32c(0, bytes, sizeof bytes))
			fail("in two parts, cut at %zu, it differs", cut);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"many_addresses", many_addresses},
		{"both_at_once", both_at_once},
		{"damage", damage},
		{"damaged_head", damaged_head},
		{"differs", differs},
		{"interfaces", interfaces},
		{"checksum", checksum},
		{NULL, NULL},
	};

	return run_tests(tests, argc, argv);
}
