/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sweeps and heatmaps: the chain of choices is the best everywhere, crossovers are exact, ranges
 * are read strictly.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/chart.h"
#include "draw/heatmap.h"
#include "draw/svg.h"
#include "draw/sweep.h"

static struct tt_question question_of(int64_t nranks, int64_t links, double overhead)
{
	struct tt_question question = {
		.collective = TT_ALLGATHER, .nranks = nranks, .machine = tt_machine_default};

	question.machine.links = links;
	question.machine.overhead = overhead;
	return question;
}

static void check_sweep(const struct tt_sweep *sweep, const char *what)
{
	assert_true(sweep->count >= 1);
	assert_true(sweep->pieces[0].from == (double)sweep->low);
	for (int64_t i = 1; i < sweep->count; i++)
		assert_true(sweep->pieces[i].from >= sweep->pieces[i - 1].from &&
			    sweep->pieces[i].from < (double)sweep->high);
	for (double bytes = (double)sweep->low; bytes <= (double)sweep->high;
	     bytes = bytes * 1.37 + 1) {
		const struct tt_candidate *best =
			&sweep->candidates->list[tt_sweep_best(sweep, bytes)];

		for (int64_t i = 0; i < sweep->candidates->count; i++) {
			const struct tt_candidate *other = &sweep->candidates->list[i];

			if (!*other->excluded && tt_sweep_seconds(other, bytes) <
							 tt_sweep_seconds(best, bytes) * (1 - 1e-9))
				fail_msg("%s: at %.0f bytes %s is chosen, but %s is faster", what,
					 bytes, best->name, other->name);
		}
	}
}

static void choices_are_best(void **state)
{
	static const double overheads[] = {0, 1e-7, 5e-6};

	(void)state;
	for (int64_t nranks = 1; nranks <= 20; nranks += 3)
		for (int64_t links = 1; links <= 4; links += 3)
			for (int i = 0; i < 3; i++) {
				struct tt_question question =
					question_of(nranks, links, overheads[i]);
				struct tt_sweep *sweep;
				char what[100];

				snprintf(what, sizeof what,
					 "allgather:n=%lld:links=%lld with %g s of overhead",
					 (long long)nranks, (long long)links, overheads[i]);
				assert_int_equal(
					tt_sweep_new(&question, 1, UINT64_C(1) << 34, &sweep),
					TOTUM_OK);
				check_sweep(sweep, what);
				tt_sweep_free(sweep);
			}
}

static const struct tt_candidate *find(const struct tt_sweep *sweep, const char *name)
{
	for (int64_t i = 0; i < sweep->candidates->count; i++)
		if (!strcmp(sweep->candidates->list[i].name, name))
			return &sweep->candidates->list[i];
	fail_msg("no candidate %s", name);
	return NULL;
}

/*
 * Ring against recursive doubling on a physical ring of 8: N alpha beta (N-1-log N) /
 * ((N-1)(N-2)/3), and the sweep's own crossover from swing (3 rounds, 8 blocks) to the
 * bidirectional ring (4 rounds, 7/2): alpha beta N / (9/2).
 */
static void crossovers(void **state)
{
	struct tt_shape shape;
	struct tt_topology *topology;
	struct tt_sweep *sweep;

	(void)state;
	assert_int_equal(tt_shape_parse("ring:8", &shape), TOTUM_OK);
	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_OK);
	struct tt_question question = {.collective = TT_ALLGATHER,
				       .nranks = 8,
				       .machine = tt_machine_default,
				       .shape = &shape,
				       .topology = topology};

	assert_int_equal(tt_sweep_new(&question, 64, 1 << 30, &sweep), TOTUM_OK);
	check_sweep(sweep, "allgather:topo=ring:8");
	const struct tt_candidate *ring = find(sweep, "ring"),
				  *doubling = find(sweep, "recursive_doubling");
	double meets = (ring->latency - doubling->latency) / (doubling->per_byte - ring->per_byte);

	assert_true(fabs(meets / (8 * 1e4 * 4 / 14.0) - 1) < 1e-9);
	assert_int_equal(sweep->count, 2);
	assert_string_equal(sweep->candidates->list[sweep->pieces[1].candidate].name,
			    "bidirectional_ring");
	assert_true(fabs(sweep->pieces[1].from / (1e4 * 8 / 4.5) - 1) < 1e-9);
	tt_sweep_free(sweep);
	tt_topology_free(topology);
}

static void maps(void **state)
{
	struct tt_question question = question_of(0, 3, 3e-6);
	struct tt_heatmap *heatmap;

	(void)state;
	assert_int_equal(tt_heatmap_new(&question, 64, 1 << 20, 2, 12, &heatmap), TOTUM_OK);
	assert_int_equal(heatmap->nsizes, 15);
	assert_int_equal(heatmap->nrows, 11);
	for (int row = 0; row < heatmap->nrows; row++)
		for (int i = 0; i < heatmap->nsizes; i++) {
			struct tt_question one = question;
			struct tt_candidates *candidates;

			one.nranks = heatmap->ranks[row];
			one.bytes = heatmap->sizes[i];
			one.all = true;
			assert_int_equal(tt_candidates_new(&one, &candidates), TOTUM_OK);
			const char *name = heatmap->names[heatmap->cells[row][i]];
			double judged = candidates->list[candidates->chosen].judged, found = -1;

			for (int64_t j = 0; j < candidates->count; j++)
				if (!strcmp(candidates->list[j].name, name))
					found = candidates->list[j].judged;
			if (found < 0 || found > judged * (1 + 1e-12))
				fail_msg("allgather:n=%lld:bytes=%llu: the map has %s",
					 (long long)one.nranks, (unsigned long long)one.bytes,
					 name);
			tt_candidates_free(candidates);
		}
	tt_heatmap_free(heatmap);
	assert_int_equal(tt_heatmap_new(&question, 64, 64, 2, 64, &heatmap), TOTUM_OK);
	assert_int_equal(heatmap->nrows, 11); /* 2 3 4 6 8 12 16 24 32 48 64 */
	tt_heatmap_free(heatmap);
	assert_int_equal(tt_heatmap_new(&question, 1, UINT64_MAX, 2, 4, &heatmap), TOTUM_EINVAL);
}

static void ranges(void **state)
{
	static const char *const bad[] = {"",      ":",   "64:",      ":64",  "0:64",
					  "64:32", "a:b", "64:1G:2G", "-1:2", "64 : 128"};
	uint64_t low, high;
	int64_t fewest, most;

	(void)state;
	assert_int_equal(tt_sweep_sizes("64:1G", &low, &high), TOTUM_OK);
	assert_true(low == 64 && high == 1 << 30);
	assert_int_equal(tt_sweep_sizes("4K", &low, &high), TOTUM_OK);
	assert_true(low == 4096 && high == 4096);
	assert_int_equal(tt_heatmap_ranks("2:64", &fewest, &most), TOTUM_OK);
	assert_true(fewest == 2 && most == 64);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (tt_sweep_sizes(bad[i], &low, &high) != TOTUM_EPARSE)
			fail_msg("the sizes '%s' are not refused", bad[i]);
		if (tt_heatmap_ranks(bad[i], &fewest, &most) != TOTUM_EPARSE)
			fail_msg("the ranks '%s' are not refused", bad[i]);
	}
	assert_int_equal(tt_heatmap_ranks("2:5000", &fewest, &most), TOTUM_EPARSE);
}

static void sizes_in_charts(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {{64, "64"},       {1000, "1000"},  {1024, "1K"},       {1536, "1.5K"},
		     {17778, "17.4K"}, {1 << 20, "1M"}, {1200000, "1.14M"}, {102000, "99.6K"},
		     {104448, "102K"}, {1, "1"},        {1126, "1.1K"}};
	char text[TT_UNITS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(tt_chart_bytes(cases[i].bytes, text), cases[i].text);
	struct tt_axis axis = {TT_AXIS_BYTES, 1, 1024, 100, 200};

	assert_true(fabs(tt_axis_at(&axis, 32) - 150) < 1e-9);
	assert_true(tt_axis_at(&axis, 0.5) == 100 && tt_axis_at(&axis, 5000) == 200);
}

static void svg_texts(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	tt_svg_begin(out, 10, 20, "a<b>&\"c\"");
	tt_svg_text(out, 1.5, -0.25, (struct tt_svg_font){.size = 10}, "%s\n", "<&>");
	tt_svg_end(out);
	fclose(out);
	assert_non_null(strstr(text, "<title>a&lt;b&gt;&amp;&quot;c&quot;</title>"));
	assert_non_null(strstr(text, "x=\"1.5\" y=\"-0.25\""));
	assert_non_null(strstr(text, ">&lt;&amp;&gt; </text>"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_are_best),
		cmocka_unit_test(crossovers),
		cmocka_unit_test(maps),
		cmocka_unit_test(ranges),
		cmocka_unit_test(sizes_in_charts),
		cmocka_unit_test(svg_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
