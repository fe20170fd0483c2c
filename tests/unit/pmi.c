/* SPDX-License-Identifier: BSD-3-Clause */
/* The conversation with a process manager, which here is a thread that answers as it is told to. */
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "launch/pmi_client.h"

enum { PAIRS = 600, ANSWER = 4600 };

/* A manager of one rank. */
struct manager {
	int fd, longest;
	int npairs;
	char keys[PAIRS][64], values[PAIRS][1100];
	const char *instead_of, *answer; /* to a command that begins so; answer NULL: hangs up */
	bool crumbles;                   /* says its answers byte by byte */
	char asked[16][64];              /* the first commands */
	int nasked;
	pthread_t thread;
};

static void say(const struct manager *manager, const char *text)
{
	size_t n = strlen(text);

	for (size_t at = 0, step = manager->crumbles ? 1 : n; at < n; at += step)
		if (send(manager->fd, text + at, step, MSG_NOSIGNAL) < 0)
			return;
}

static void put(struct manager *manager, const char *line)
{
	char *key = manager->keys[manager->npairs], *value = manager->values[manager->npairs];
	bool good = tt_pmi_field(line, "key", key, 64) && tt_pmi_field(line, "value", value, 1100);

	assert_true(good && manager->npairs < PAIRS - 1);
	assert_true((int)strlen(value) < manager->longest);
	manager->npairs++;
	say(manager, "cmd=put_result rc=0 msg=success\n");
}

static void get(const struct manager *manager, const char *line)
{
	char key[64], answer[ANSWER] = "cmd=get_result rc=1 msg=key_not_found value=unknown\n";

	assert_true(tt_pmi_field(line, "key", key, sizeof key));
	for (int i = 0; i < manager->npairs; i++)
		if (!strcmp(manager->keys[i], key))
			snprintf(answer, sizeof answer,
				 "cmd=get_result rc=0 msg=success value=%s\n", manager->values[i]);
	say(manager, answer);
}

/* False: it is over. */
static bool answer(struct manager *manager, const char *line)
{
	char maxes[128];

	if (manager->nasked < 16)
		snprintf(manager->asked[manager->nasked++], 64, "%.63s", line);
	if (manager->instead_of &&
	    !strncmp(line, manager->instead_of, strlen(manager->instead_of))) {
		if (manager->answer)
			say(manager, manager->answer);
		return manager->answer;
	}
	snprintf(maxes, sizeof maxes, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=%d\n",
		 manager->longest);
	if (!strncmp(line, "cmd=init ", 9))
		say(manager, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
	else if (!strcmp(line, "cmd=get_maxes"))
		say(manager, maxes);
	else if (!strcmp(line, "cmd=get_my_kvsname"))
		say(manager, "cmd=my_kvsname kvsname=kvs_1_0\n");
	else if (!strncmp(line, "cmd=put kvsname=kvs_1_0 ", 24))
		put(manager, line);
	else if (!strncmp(line, "cmd=get kvsname=kvs_1_0 ", 24))
		get(manager, line);
	else if (!strcmp(line, "cmd=barrier_in"))
		say(manager, "cmd=barrier_out\n");
	else if (!strcmp(line, "cmd=finalize"))
		say(manager, "cmd=finalize_ack\n");
	else
		fail_msg("the manager is asked \"%s\"", line);
	return strcmp(line, "cmd=finalize");
}

static void *manage(void *context)
{
	struct manager *manager = context;
	char line[TT_PMI_LINE + 1];
	size_t n = 0;

	while (n < TT_PMI_LINE && read(manager->fd, line + n, 1) == 1) {
		if (line[n++] != '\n')
			continue;
		line[n - 1] = 0;
		n = 0;
		if (!answer(manager, line))
			break;
	}
	close(manager->fd);
	return NULL;
}

static struct tt_pmi *begin(struct manager *manager)
{
	struct tt_pmi *pmi = calloc(1, sizeof *pmi);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	manager->fd = fds[1];
	pmi->fd = fds[0];
	pmi->deadline = tt_clock_ns() + 20000000000;
	assert_int_equal(pthread_create(&manager->thread, NULL, manage, manager), 0);
	return pmi;
}

static void end(struct tt_pmi *pmi, struct manager *manager)
{
	close(pmi->fd);
	pthread_join(manager->thread, NULL);
	free(pmi);
}

/* Values shorter and longer than the manager takes, in pieces. */
static void test_talk(void **state)
{
	static const int limits[] = {16, 17, 64, 129, 1024};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof limits / sizeof *limits; i++) {
		struct manager *manager = calloc(1, sizeof *manager);
		char value[1000], got[1000];
		manager->longest = limits[i / 2];
		manager->crumbles = i % 2;
		struct tt_pmi *pmi = begin(manager);
		assert_int_equal(tt_pmi_begin(pmi), 0);
		for (int length = 0; length < 200; length += length < 70 ? 1 : 43) {
			char key[32];
			for (int j = 0; j < length; j++)
				value[j] = (char)('!' + (j * 7 + length) % 90);
			value[length] = 0;
			if (manager->npairs > PAIRS - 40)
				manager->npairs = 0;
			snprintf(key, sizeof key, "key-%d", length);
			assert_int_equal(tt_pmi_put(pmi, key, value), 0);
			assert_int_equal(tt_pmi_barrier(pmi), 0);
			if (tt_pmi_get(pmi, key, got, sizeof got))
				fail_msg("%d characters, limit %d: %s", length, manager->longest,
					 totum_errmsg());
			assert_string_equal(got, value);
		}
		assert_int_equal(tt_pmi_get(pmi, "nokey", got, sizeof got), TOTUM_ESYSTEM);
		assert_int_equal(tt_pmi_get(pmi, "key-199", got, 100), TOTUM_ESYSTEM);
		assert_int_equal(tt_pmi_end(pmi), 0);
		end(pmi, manager);
		free(manager);
	}
}

static void goes_wrong(const char *instead_of, const char *answers, totum_status want,
		       const char *words)
{
	struct manager *manager = calloc(1, sizeof *manager);
	char got[100];

	manager->longest = 1024;
	manager->instead_of = instead_of;
	manager->answer = answers;
	struct tt_pmi *pmi = begin(manager);
	totum_status status = tt_pmi_begin(pmi);
	pmi->deadline = tt_clock_ns() + 300000000;
	if (!status)
		status = tt_pmi_put(pmi, "a", "b");
	if (!status)
		status = tt_pmi_barrier(pmi);
	if (!status)
		status = tt_pmi_get(pmi, "a", got, sizeof got);
	if (status != want || !strstr(totum_errmsg(), words))
		fail_msg("\"%s\" to \"%s\": %s \"%s\" instead of %s \"%s\"",
			 answers ? answers : "(the end)", instead_of, totum_strerror(status),
			 totum_errmsg(), totum_strerror(want), words);
	end(pmi, manager);
	free(manager);
}

static void test_what_goes_wrong(void **state)
{
	static const char *const commands[] = {"cmd=init", "cmd=get_maxes",  "cmd=get_my_kvsname",
					       "cmd=put",  "cmd=barrier_in", "cmd=get kvs"};
	static char endless[TT_PMI_LINE + 100];

	(void)state;
	memset(endless, 'x', sizeof endless - 1);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		goes_wrong(commands[i], NULL, TOTUM_ELOST, "is gone");
		goes_wrong(commands[i], "\n", TOTUM_ESYSTEM, "answers");
		goes_wrong(commands[i], "cmd=other_thing rc=0\n", TOTUM_ESYSTEM, "other_thing");
		goes_wrong(commands[i], endless, TOTUM_ESYSTEM, "is no line");
	}
	goes_wrong("cmd=init", "cmd=response_to_init rc=-1\n", TOTUM_ESYSTEM, "rc=-1");
	goes_wrong("cmd=put", "cmd=put_result rc=-1 msg=duplicate\n", TOTUM_ESYSTEM, "duplicate");
	goes_wrong("cmd=get_maxes", "cmd=maxes vallen_max=5\n", TOTUM_ESYSTEM, "vallen_max=5");
	goes_wrong("cmd=get_maxes", "cmd=maxes\n", TOTUM_ESYSTEM, "takes no values");
	goes_wrong("cmd=get_my", "cmd=my_kvsname\n", TOTUM_ESYSTEM, "names no space");
	goes_wrong("cmd=get kvs", "cmd=get_result rc=0 value=many\n", TOTUM_ESYSTEM, "a-0");
	goes_wrong("cmd=get kvs", "cmd=get_result rc=0 value=100000000000\n", TOTUM_ESYSTEM, "a-0");
	goes_wrong("cmd=barrier_in", "", TOTUM_ETIMEOUT, "another rank has not called totum_init");
	goes_wrong("cmd=put", "cmd=put_", TOTUM_ETIMEOUT, "may be stuck");
}

static void test_fields(void **state)
{
	char out[8];

	(void)state;
	assert_true(tt_pmi_field("cmd=x rc=0  msg=", "rc", out, sizeof out));
	assert_string_equal(out, "0");
	assert_true(tt_pmi_field("cmd=x rc=0  msg=", "msg", out, sizeof out));
	assert_string_equal(out, "");
	assert_true(tt_pmi_field("a=b=c", "a", out, sizeof out));
	assert_string_equal(out, "b=c");
	assert_false(tt_pmi_field("cmd=x xrc=0", "rc", out, sizeof out));
	assert_false(tt_pmi_field("cmd=x rc", "rc", out, sizeof out));
	assert_false(tt_pmi_field("rc=12345678", "rc", out, sizeof out));
	assert_true(tt_pmi_field("rc=1234567", "rc", out, sizeof out));
	assert_false(tt_pmi_field("", "rc", out, sizeof out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_talk),
		cmocka_unit_test(test_what_goes_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
