/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies as text: what is written reads back as the same graph; broken texts give FILE:LINE and
 * a sentence; random damage never does worse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/measure.h"
#include "topology/topology.h"

static const char *const specs[] = {
	"ring:1",
	"ring:2",
	"ring:3",
	"ring:12",
	"line:5",
	"torus:3x4",
	"torus:2x2x5",
	"mesh:3x3",
	"hypercube:4",
	"full:1",
	"full:7",
	"star:6",
	"fattree:4x4,host=2,uplink=4",
	"fattree:2x3x4,taper=2",
	"dragonfly:4,h=1",
	"dragonfly:3,h=2,p=2",
	"boxes:2x8",
	"hosts:3x2,outside_alpha=20us",
	"2x4",
	"dgx1",
	"a100:2",
	"h100",
	"mi250:2,hop=0.2us",
	"boxes:1x1",
};
enum { SPECS = sizeof specs / sizeof *specs };

static struct tt_topology *open_or_fail(const char *spec)
{
	struct tt_topology *topology;

	if (tt_topology_open(spec, &topology))
		fail_msg("%s: %s", spec, totum_errmsg());
	return topology;
}

static void assert_same(const char *what, const struct tt_topology *a, const struct tt_topology *b)
{
	if (strcmp(a->name, b->name) || a->nranks != b->nranks || a->nvertices != b->nvertices ||
	    a->nlinks != b->nlinks || a->nhosts != b->nhosts || a->unit != b->unit)
		fail_msg("%s: sizes differ", what);
	for (int64_t v = 0; v < a->nvertices; v++) {
		const struct tt_vertex *x = &a->vertices[v], *y = &b->vertices[v];

		if (strcmp(x->name, y->name) || x->rank != y->rank ||
		    (x->host >= 0 && strcmp(a->hosts[x->host], b->hosts[y->host])))
			fail_msg("%s: vertex %lld is %s, then %s", what, (long long)v, x->name,
				 y->name);
	}
	for (int64_t i = 0; i < a->nlinks; i++) {
		const struct tt_link *x = &a->links[i], *y = &b->links[i];

		if (x->from != y->from || x->to != y->to || x->wire.capacity != y->wire.capacity ||
		    x->wire.alpha != y->wire.alpha || x->wire.hop != y->wire.hop ||
		    x->wire.preference != y->wire.preference)
			fail_msg("%s: link %lld differs", what, (long long)i);
	}
}

static char *text_of(const struct tt_topology *topology, size_t *length)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);

	assert_non_null(stream);
	assert_int_equal(tt_topology_write(topology, stream), TOTUM_OK);
	fclose(stream);
	return text;
}

static void round_trips(const char *what, const struct tt_topology *topology)
{
	struct tt_topology *again;
	size_t length;
	char *text = text_of(topology, &length);

	if (tt_topology_read(text, length, "text", &again))
		fail_msg("%s: %s\n%s", what, totum_errmsg(), text);
	assert_same(what, topology, again);
	tt_topology_free(again);
	free(text);
}

static void generated_topologies_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < SPECS; i++) {
		struct tt_topology *topology = open_or_fail(specs[i]), *turned, *back;

		round_trips(specs[i], topology);
		assert_int_equal(tt_topology_reverse(topology, &turned), TOTUM_OK);
		round_trips(specs[i], turned);
		assert_int_equal(tt_topology_reverse(turned, &back), TOTUM_OK);
		assert_same(specs[i], topology, back);
		tt_topology_free(back);
		tt_topology_free(turned);
		tt_topology_free(topology);
	}
}

static int draw(unsigned *seed, int below)
{
	return rand_r(seed) % below;
}

/* Graphs of all the format has: odd names and latencies, mixed hosts, one-way links, dimensions. */
static void random_topologies_round_trip(void **state)
{
	static const char *const names[] = {"a%d", "gpu-%d.x", "n0%d", "b%d"};
	(void)state;

	for (unsigned i = 0; i < 300; i++) {
		unsigned seed = i;
		int n = 1 + draw(&seed, 40);
		struct tt_topology *topology;
		char name[32], what[32];

		assert_int_equal(tt_topology_new("random", &topology), TOTUM_OK);
		for (int v = 0; v < n; v++) {
			snprintf(name, sizeof name, names[draw(&seed, 4)], v);
			if (v && !draw(&seed, 3))
				tt_topology_add_switch(topology, name);
			else
				tt_topology_add_rank(
					topology,
					draw(&seed, 2) ? -1 : tt_topology_add_host(topology, "h"),
					name);
		}
		for (int e = draw(&seed, 4 * n); e-- && n > 1;) {
			int a = draw(&seed, n), b = draw(&seed, n);
			struct tt_wire wire = {
				.capacity = 1 + draw(&seed, 3000) * (draw(&seed, 2) ? 1000 : 1),
				/* functions of the pair, because twins must not differ */
				.alpha = (a + b) % 3 * 1500,
				.hop = a * b % 2 * 333,
				.preference = (a < b) + 2 * (a % 2 && b % 2)};

			if (a == b)
				continue;
			tt_topology_add_link(topology, a, b, wire);
			wire.preference ^= 1;
			if (draw(&seed, 3))
				tt_topology_add_link(topology, b, a, wire);
		}
		assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
		snprintf(what, sizeof what, "random topology %u", i);
		round_trips(what, topology);
		tt_topology_free(topology);
	}
}

static const char sample[] = "# two hosts\n"
			     "topology two\n"
			     "host left l[0-1]\n"
			     "host right r[0-1]   # and two more\n"
			     "rank lonely\n"
			     "switch left.memory right.memory\n"
			     "\n"
			     "link l[0-1] left.memory 10GB/s 1us\n"
			     "link r[0-1] right.memory 10GB/s 1us\n"
			     "link left.memory right.memory 100Gbit/s 1us hop 2us\n"
			     "link right.memory lonely 1GB/s 0 oneway\r\n"
			     "link lonely l1 1B/s 1.5ns along 3 oneway\n"
			     "link lonely l1 2B/s 1.5ns along 3 oneway";

static void a_text_means_what_it_says(void **state)
{
	struct tt_topology *topology;
	(void)state;

	if (tt_topology_read(sample, strlen(sample), "sample", &topology))
		fail_msg("%s", totum_errmsg());
	assert_int_equal(topology->nranks, 5);
	assert_int_equal(topology->nhosts, 3);
	assert_int_equal(topology->nvertices, 7);
	assert_int_equal(topology->nlinks, 12);
	assert_int_equal(topology->unit, 1);
	int32_t lonely = tt_topology_find(topology, "lonely");
	assert_int_equal(topology->vertices[lonely].rank, 4);
	const struct tt_link *link = &topology->links[topology->first_out[lonely]];
	assert_int_equal(topology->first_out[lonely + 1] - topology->first_out[lonely], 1);
	assert_int_equal(link->wire.capacity, 3);
	assert_int_equal(link->wire.alpha, 1500);
	assert_int_equal(link->wire.preference, 6);
	int32_t left = tt_topology_find(topology, "left.memory");
	link = &topology->links[topology->first_out[left + 1] - 1];
	assert_int_equal(link->wire.capacity, 12500000000);
	assert_int_equal(link->wire.hop, 2000000);
	assert_int_equal(tt_topology_find(topology, "nobody"), -1);
	round_trips("sample", topology);
	tt_topology_free(topology);
}

static void refused(const char *text, int line, const char *words)
{
	struct tt_topology *topology = NULL;
	char place[16];

	if (!tt_topology_read(text, strlen(text), "file", &topology))
		fail_msg("accepted: %s", text);
	snprintf(place, sizeof place, "file:%d: ", line);
	if (strncmp(totum_errmsg(), place, strlen(place)) || !strstr(totum_errmsg(), words))
		fail_msg("of \"%s\" the error is \"%s\", without \"%s%s\"", text, totum_errmsg(),
			 place, words);
}

static void broken_texts_give_file_line_and_a_sentence(void **state)
{
	(void)state;
	refused("", 1, "no statement");
	refused("# nothing\n\n", 3, "no statement");
	refused("rank a\n", 1, "begin with 'topology NAME'");
	refused("topology\n", 1, "topology NAME");
	refused("topology a b\n", 1, "topology NAME");
	refused("topology a\ntopology b\n", 2, "second");
	refused("topology a\n", 2, "at least one rank");
	refused("topology a\nrank\n", 2, "without names");
	refused("topology a\nhost h\n", 2, "without names");
	refused("topology a\nswicth s\n", 2, "did you mean switch");
	refused("topology a\nbridge s\n", 2, "there are topology");
	refused("topology a\nrank a a\n", 2, "taken");
	refused("topology a\nrank a\nswitch a\n", 3, "taken");
	refused("topology a\nrank a/b\n", 2, "not a name");
	refused("topology a\nrank a[0-\n", 2, "no ']'");
	refused("topology a\nrank a[7]\n", 2, "no '-'");
	refused("topology a\nrank a[7-6]\n", 2, "out of range");
	refused("topology a\nrank a[0-99999999]\n", 2, "more than");
	refused("topology a\nrank a[-1-3]\n", 2, "not an integer");
	refused("topology a\nrank a23456789012345678901234567890123456789012345678\n", 2,
		"characters");
	refused("topology a\nrank a b\nlink a b\n", 3, "needs two ends");
	refused("topology a\nrank a b\nlink a c 1GB/s 1us\n", 3, "'c' has been declared");
	refused("topology a\nrank a b\nlink a b 1 1us\n", 3, "not a rate");
	refused("topology a\nrank a b\nlink a b 0GB/s 1us\n", 3, "out of range");
	refused("topology a\nrank a b\nlink a b 2000TB/s 1us\n", 3, "out of range");
	refused("topology a\nrank a b\nlink a b 1GB/s 1\n", 3, "not a time");
	refused("topology a\nrank a b\nlink a b 1GB/s 2000s\n", 3, "out of range");
	refused("topology a\nrank a b\nlink a b 1GB/s 1us onewya\n", 3, "did you mean oneway");
	refused("topology a\nrank a b\nlink a b 1GB/s 1us hop\n", 3, "hop: ''");
	refused("topology a\nrank a b\nlink a b 1GB/s 1us along 32\n", 3, "along");
	refused("topology a\nrank a b\nlink a a 1GB/s 1us\n", 3, "itself");
	refused("topology a\nrank a[0-2] b[0-1]\nlink a[0-2] b[0-1] 1GB/s 1us\n", 3,
		"3 names cannot");
	refused("topology a\nrank a b\nlink a b 1GB/s 1us\nlink a b 1GB/s 2us\n", 5,
		"differ in latency");
	refused("topology a\nrank a b\nlink a b 1000TB/s 1us\nlink a b 1000TB/s 1us\n", 5,
		"1000 TB/s");

	struct tt_topology *topology;
	assert_int_equal(tt_topology_read("topology a\0rank b", 17, "file", &topology),
			 TOTUM_EPARSE);
	assert_int_equal(tt_topology_open("/nonexistent/x.topo", &topology), TOTUM_ESYSTEM);
	assert_int_equal(tt_topology_open("/", &topology), TOTUM_ESYSTEM);
}

/* Texts with bytes changed, dropped, doubled or cut off are refused, or read and round-trip. */
static void damaged_texts_never_crash(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		unsigned seed = i;
		char text[sizeof sample];
		size_t length = strlen(sample);
		struct tt_topology *topology;

		memcpy(text, sample, sizeof text);
		for (int k = 1 + draw(&seed, 4); k--;) {
			size_t at = (size_t)draw(&seed, (int)length - 8);

			switch (draw(&seed, 4)) {
			case 0:
				text[at] = (char)draw(&seed, 256);
				break;
			case 1:
				memmove(text + at, text + at + 3, length - at - 3);
				length -= 3;
				break;
			case 2:
				text[at] = sample[draw(&seed, (int)length)];
				break;
			default:
				memmove(text + at, text + at + 1, 5);
			}
		}
		char *exact = malloc(length); /* so that reading one byte too far is seen */
		memcpy(exact, text, length);
		totum_status status = tt_topology_read(exact, length, "damaged", &topology);
		if (!status) {
			round_trips("damaged text", topology);
			tt_topology_free(topology);
		} else if (status != TOTUM_EPARSE || strncmp(totum_errmsg(), "damaged:", 8)) {
			fail_msg("damage %u: status %d, %s", i, status, totum_errmsg());
		}
		free(exact);
	}
}

static void spec_refused(const char *spec, const char *words)
{
	struct tt_shape shape;

	if (!tt_shape_parse(spec, &shape))
		fail_msg("accepted: %s", spec);
	if (!strstr(totum_errmsg(), words))
		fail_msg("of '%s' the error is \"%s\", without \"%s\"", spec, totum_errmsg(),
			 words);
}

static void broken_specs_give_a_sentence(void **state)
{
	struct tt_shape shape;
	char huge[400];
	(void)state;

	spec_refused("", "there is no topology");
	spec_refused("rnig:8", "did you mean ring");
	spec_refused("ring", "size is missing");
	spec_refused("ring:", "write ring:8");
	spec_refused("ring:0", "write ring:8");
	spec_refused("ring:8x8", "too many");
	spec_refused("ring:-8", "write ring:8");
	spec_refused("torus:4x", "write torus:4x4");
	spec_refused("fattree:4", "too few");
	spec_refused("dgx1:2", "too many");
	spec_refused("hypercube:40", "dimensions");
	spec_refused("torus:2000000000x2000000000x2000000000", "more than");
	spec_refused("a100:1000000000", "more than");
	spec_refused("ring:8,rate", "name=value");
	spec_refused("ring:8,uplink=3", "no option");
	spec_refused("ring:8,rat=3", "did you mean rate");
	spec_refused("ring:8,rate=0", "out of range");
	spec_refused("ring:8,alpha=1", "not a time");
	spec_refused("fattree:4x4,taper=0", "taper");
	spec_refused("8", "write hosts:2x4");
	spec_refused("2x4:7", "there is no topology");
	memset(huge, 'a', sizeof huge);
	huge[sizeof huge - 1] = 0;
	spec_refused(huge, "characters");

	assert_int_equal(tt_shape_parse("ring:2000000000", &shape), TOTUM_OK);
	struct tt_topology *topology;
	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_shape_parse("full:3000", &shape), TOTUM_OK);
	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_shape_parse("dragonfly:2000,h=4", &shape), TOTUM_OK);
	assert_int_not_equal(tt_topology_generate(&shape, &topology), TOTUM_OK);
	assert_int_equal(tt_shape_parse("fattree:2x4,host=2B/s,taper=900", &shape), TOTUM_OK);
	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_EINVAL);
}

static void options_of_specs(void **state)
{
	struct tt_shape shape;
	(void)state;

	assert_int_equal(
		tt_shape_parse("2x4,inside=20,outside=100Gbit/s,alpha=500ns,hop=0.1us", &shape),
		TOTUM_OK);
	assert_int_equal(shape.kind, TT_SHAPE_HOSTS);
	assert_int_equal(shape.nranks, 8);
	assert_int_equal(shape.rate, 20000000000);
	assert_int_equal(shape.outside, 12500000000);
	assert_int_equal(shape.alpha, 500000);
	assert_int_equal(shape.outside_alpha, 5000000);
	assert_int_equal(shape.hop, 100000);
	struct tt_topology *topology;
	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_OK);
	assert_int_equal(topology->nhosts, 2);
	assert_int_equal(topology->vertices[topology->rank_vertex[5]].host, 1);
	tt_topology_free(topology);
	assert_int_equal(tt_shape_parse("hypercube:10", &shape), TOTUM_OK);
	assert_int_equal(shape.nranks, 1024);
	assert_int_equal(tt_shape_parse("dragonfly:4,h=1,p=2", &shape), TOTUM_OK);
	assert_int_equal(shape.nranks, 40);
}

static void measures_round_trip(void **state)
{
	static const int64_t values[] = {0,       1,         999,        1000,         1500,
					 1000000, 123456789, 2000000000, 1000000000000};
	char text[TT_UNITS_TEXT];
	int64_t back;
	(void)state;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		assert_int_equal(tt_read_latency(tt_write_latency(values[i], text), &back),
				 TOTUM_OK);
		assert_int_equal(back, values[i]);
		if (!values[i])
			continue;
		assert_int_equal(tt_read_capacity(tt_write_capacity(values[i], text), false, &back),
				 TOTUM_OK);
		assert_int_equal(back, values[i]);
	}
	assert_string_equal(tt_write_capacity(300000000000, text), "300GB/s");
	assert_string_equal(tt_write_capacity(12500000000, text), "12500MB/s");
	assert_string_equal(tt_write_latency(1500000, text), "1500ns");
	assert_int_not_equal(tt_read_capacity("3", false, &back), TOTUM_OK);
	assert_int_equal(tt_read_capacity("3", true, &back), TOTUM_OK);
	assert_int_equal(back, 3000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_topologies_round_trip),
		cmocka_unit_test(random_topologies_round_trip),
		cmocka_unit_test(a_text_means_what_it_says),
		cmocka_unit_test(broken_texts_give_file_line_and_a_sentence),
		cmocka_unit_test(damaged_texts_never_crash),
		cmocka_unit_test(broken_specs_give_a_sentence),
		cmocka_unit_test(options_of_specs),
		cmocka_unit_test(measures_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
