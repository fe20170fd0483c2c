/* SPDX-License-Identifier: BSD-3-Clause */
/* The public face of the lab: arguments are checked, texts go round, facts and verdicts agree,
 * nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "totum_lab.h"

static char *text;
static size_t size;
static FILE *out;

static int open_text(void **state)
{
	(void)state;
	text = NULL;
	out = open_memstream(&text, &size);
	return out ? 0 : -1;
}

static int close_text(void **state)
{
	(void)state;
	fclose(out);
	free(text);
	return 0;
}

static const char *written(void)
{
	fflush(out);
	return text;
}

static totum_schedule *built(const char *problem)
{
	totum_schedule *schedule = NULL;

	if (totum_schedule_build(problem, &schedule))
		fail_msg("%s: %s", problem, totum_errmsg());
	return schedule;
}

static void null_is_refused(void **state)
{
	totum_schedule *schedule = built("allgather:n=4:algo=ring"), *none;
	totum_view view = {0};
	totum_facts facts;

	(void)state;
	assert_int_equal(totum_schedule_build(NULL, &none), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_build("allgather:n=4", NULL), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_parse(NULL, 1, "x", &none), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_parse("", 0, NULL, &none), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_parse("", 0, "x", NULL), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_parse(NULL, 0, "x", &none), TOTUM_EPARSE);
	assert_int_equal(totum_schedule_write(NULL, out), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_write(schedule, NULL), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_facts(NULL, &facts), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_facts(schedule, NULL), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_verify(NULL, out), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_verify(schedule, NULL), TOTUM_OK);
	assert_int_equal(totum_schedule_show(NULL, &view, out), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_show(schedule, NULL, out), TOTUM_EINVAL);
	assert_int_equal(totum_schedule_show(schedule, &view, NULL), TOTUM_EINVAL);
	assert_int_equal(totum_candidates_show(NULL, &view, out), TOTUM_EINVAL);
	assert_int_equal(totum_sweep_show("allgather:n=4", NULL, &view, out), TOTUM_EINVAL);
	assert_int_equal(totum_heatmap_show("allgather", "1:2", NULL, &view, out), TOTUM_EINVAL);
	assert_int_equal(totum_costs_show(NULL), TOTUM_EINVAL);
	assert_int_equal(totum_algorithm_at(0, NULL), 0);
	totum_schedule_free(schedule);
	totum_schedule_free(NULL);
	written();
	assert_int_equal(size, 0);
}

static void views_are_checked(void **state)
{
	totum_view format = {.format = (totum_format)7}, width = {.width = -1},
		   picture = {.format = TOTUM_SVG};
	totum_schedule *schedule = built("allgather:n=4:algo=ring");

	(void)state;
	assert_int_equal(totum_schedule_show(schedule, &format, out), TOTUM_EINVAL);
	assert_int_equal(totum_candidates_show("allgather:n=4", &format, out), TOTUM_EINVAL);
	assert_int_equal(totum_sweep_show("allgather:n=4", "1:2", &format, out), TOTUM_EINVAL);
	assert_int_equal(totum_heatmap_show("allgather:n=4", "1:2", "2:3", &format, out),
			 TOTUM_EINVAL);
	assert_int_equal(totum_schedule_show(schedule, &width, out), TOTUM_EINVAL);
	assert_int_equal(totum_candidates_show("allgather:n=4", &picture, out), TOTUM_EUNSUPPORTED);
	totum_schedule_free(schedule);
	written();
	assert_int_equal(size, 0);
}

static void algorithms_are_listed(void **state)
{
	totum_algorithm algorithm;
	int count = 0, with_parameters = 0;

	(void)state;
	for (; totum_algorithm_at(count, &algorithm); count++) {
		assert_true(algorithm.collective && algorithm.name && algorithm.summary);
		assert_true(strlen(algorithm.parameters) < sizeof algorithm.parameters - 1);
		with_parameters += algorithm.parameters[0] != 0;
		assert_true(!*algorithm.parameters ||
			    algorithm.parameters[strlen(algorithm.parameters) - 1] == '\n');
	}
	assert_true(count >= 6 && with_parameters >= 2);
	assert_int_equal(totum_algorithm_at(-1, &algorithm), 0);
	assert_int_equal(totum_algorithm_at(count, &algorithm), 0);
}

static void text_goes_round(void **state)
{
	totum_schedule *schedule = built("allgather:n=8:algo=bidirectional_ring"), *same = NULL;
	totum_facts facts, again;

	(void)state;
	assert_int_equal(totum_schedule_write(schedule, out), TOTUM_OK);
	written();
	assert_int_equal(totum_schedule_parse(text, size, "memory", &same), TOTUM_OK);
	assert_int_equal(totum_schedule_facts(schedule, &facts), TOTUM_OK);
	assert_int_equal(totum_schedule_facts(same, &again), TOTUM_OK);
	assert_string_equal(facts.collective, "allgather");
	assert_string_equal(facts.algorithm, "bidirectional_ring");
	assert_int_equal(facts.nranks, 8);
	assert_int_equal(facts.pieces, 2);
	assert_int_equal(facts.rounds, 4);
	assert_int_equal(facts.ports, 2);
	assert_int_equal(facts.volume_over, 7);
	assert_int_equal(facts.volume_under, 2);
	assert_int_equal(again.volume_over, 7);
	assert_int_equal(again.rounds, 4);
	assert_int_equal(totum_schedule_verify(same, NULL), TOTUM_OK);
	totum_schedule_free(same);
	/* One letter less, and it is refused with the name and a line. */
	assert_int_equal(totum_schedule_parse(text, size - 2, "memory", &same), TOTUM_EPARSE);
	assert_non_null(strstr(totum_errmsg(), "memory:"));
	totum_schedule_free(schedule);
}

static void verdicts(void **state)
{
	static const char wrong[] = "schedule 1 allgather n=2 root=0 pieces=1 rounds=1 name=half\n"
				    "0: move 0>1 first=0 count=1\n"
				    "end\n";
	totum_schedule *schedule = NULL;
	totum_view view = {0};

	(void)state;
	assert_int_equal(totum_schedule_parse(wrong, strlen(wrong), "half", &schedule), TOTUM_OK);
	assert_int_equal(totum_schedule_verify(schedule, out), TOTUM_EINVAL);
	assert_non_null(strstr(written(), "allgather by half, 2 ranks: WRONG, 1 violation\n"));
	assert_non_null(strstr(written(), "rank 0"));
	assert_non_null(strstr(totum_errmsg(), "rank 0"));
	assert_int_equal(totum_schedule_show(schedule, &view, out), TOTUM_OK);
	assert_non_null(strstr(written(), "1 port, WRONG: "));
	totum_schedule_free(schedule);
	schedule = built("allreduce:n=6:algo=ring");
	assert_int_equal(totum_schedule_verify(schedule, out), TOTUM_OK);
	assert_non_null(strstr(written(), "allreduce by ring, 6 ranks: right; "));
	totum_schedule_free(schedule);
}

static void the_planner_chooses(void **state)
{
	totum_schedule *schedule = built("allgather:n=8:bytes=8M:links=2");
	totum_facts facts;

	(void)state;
	assert_int_equal(totum_schedule_facts(schedule, &facts), TOTUM_OK);
	assert_true(facts.nranks == 8 && facts.rounds > 0);
	assert_int_equal(totum_schedule_verify(schedule, NULL), TOTUM_OK);
	totum_schedule_free(schedule);
	schedule = built("allgather:topo=ring:8:bytes=8M");
	assert_int_equal(totum_schedule_facts(schedule, &facts), TOTUM_OK);
	assert_string_equal(facts.algorithm, "bidirectional_ring");
	totum_schedule_free(schedule);
}

static void bad_problems(void **state)
{
	static const char *const problems[] = {
		"",
		"allgather",
		"allgather:n=0",
		"allgather:n=4:algo=",
		"allgather:n=4:algo=ring,x=1",
		"allgather:n=6:algo=recursive_doubling",
		"allgather:n=9:topo=ring:8",
		"allgather:topo=ring:8:links=2",
		"allgather:topo=boxes:2x4:beta=1GB/s",
		"allgather:topo=/absent.topo",
		"broadcast:n=4:root=4",
	};
	totum_schedule *schedule = NULL;
	totum_view view = {0};

	(void)state;
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
		if (totum_schedule_build(problems[i], &schedule) == TOTUM_OK)
			fail_msg("'%s' is not refused", problems[i]);
		assert_true(strlen(totum_errmsg()) > 10);
	}
	view.machine = "alpha=fast";
	assert_int_equal(totum_candidates_show("allgather:n=4", &view, out), TOTUM_EINVAL);
	view.machine = NULL;
	view.topology = "ring:4";
	assert_int_equal(totum_candidates_show("allgather:topo=ring:4", &view, out), TOTUM_EPARSE);
	assert_int_equal(totum_candidates_show("allgather", &view, out), TOTUM_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(null_is_refused, open_text, close_text),
		cmocka_unit_test_setup_teardown(views_are_checked, open_text, close_text),
		cmocka_unit_test(algorithms_are_listed),
		cmocka_unit_test_setup_teardown(text_goes_round, open_text, close_text),
		cmocka_unit_test_setup_teardown(verdicts, open_text, close_text),
		cmocka_unit_test(the_planner_chooses),
		cmocka_unit_test_setup_teardown(bad_problems, open_text, close_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
