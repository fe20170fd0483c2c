/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that meet by TCP: all come, some do not, some differ, some die. */
#include "unit/meeting_root.h"

#include "launch/place.h"
#include "launch/tcp_gate.h"
#include "launch/tcp_meeting.h"

static void test_places(void **state)
{
	static const char *const good[][2] = {{"tcp://host:1", "host"},
					      {"host:65535", "host"},
					      {"tcp://10.0.0.1:29500", "10.0.0.1"},
					      {"[::1]:29500", "::1"},
					      {"tcp://[fd00::1]:7#job", "fd00::1"},
					      {"tcp://a,[::1],10.0.0.1:5", "a"}};
	static const char *const bad[] = {"tcp://",           "tcp://host",
					  "tcp://host:",      "tcp://host:0",
					  "tcp://host:65536", "tcp://host:12x",
					  "tcp://:5",         "tcp://::1:5",
					  "tcp://[::1:5",     "tcp://[::1]",
					  "tcp://[host]:5",   "tcp://ho st:5",
					  "tcp://a,:5",       "tcp://a,a,a,a,a,a,a,a,a:5",
					  "tcp://[]:5",       "tcp://host:-5",
					  "tcp://host: 5",    "tcp:///:5"};
	struct tt_place place;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(tt_place_looks_like(good[i][0]));
		if (tt_place_parse(good[i][0], &place))
			fail_msg("%s: %s", good[i][0], totum_errmsg());
		assert_string_equal(place.host[0], good[i][1]);
	}
	assert_int_equal(place.nhosts, 3);
	assert_string_equal(place.host[1], "::1");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (tt_place_parse(bad[i], &place) != TOTUM_EINVAL)
			fail_msg("\"%s\" is taken for a place", bad[i]);
	assert_false(tt_place_looks_like("nowhere:bad"));
	assert_false(tt_place_looks_like("local:5"));
}

static void test_all_come(void **state)
{
	static const int counts[] = {2, 3, 8, 64};
	static const size_t sizes[] = {0, 1, 408, TT_EXCHANGE_BYTES};
	struct rank ranks[MOST_RANKS];

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
			make_ranks(ranks, counts[i], fresh_root("127.0.0.1"));
			for (int rank = 0; rank < counts[i]; rank++)
				ranks[rank].bytes = sizes[j];
			meet(ranks, counts[i]);
			all_well(ranks, counts[i]);
		}
}

/* Also where the root is a name, an IPv6 address, an address that this host does not have. */
static void test_forms_of_roots(void **state)
{
	static const char *const hosts[] = {"localhost", "[::1]", "127.0.0.1,[::1]",
					    "192.0.2.77,127.0.0.1"};
	struct rank ranks[3];
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	bool has_v6 = fd >= 0 && !bind(fd, (struct sockaddr *)&v6, sizeof v6);

	(void)state;
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		if (i == 1 && !has_v6)
			continue;
		make_ranks(ranks, 3, fresh_root(hosts[i]));
		ranks[0].late_ms = 50;
		meet(ranks, 3);
		all_well(ranks, 3);
	}
}

/* The same port at once again: what is left of the last meeting is not in the way. */
static void test_again_and_again(void **state)
{
	struct rank ranks[3];
	char root[64];

	(void)state;
	strcpy(root, fresh_root("127.0.0.1"));
	for (int i = 0; i < 50; i++) {
		make_ranks(ranks, 3, root);
		meet(ranks, 3);
		all_well(ranks, 3);
	}
}

/* --- a keeper in a thread, and ranks that come one after the other --------------------------- */

struct guests {
	struct rank keeper;
	int n, fds[8];
};

static void invite(struct guests *guests, int nranks)
{
	make_ranks(&guests->keeper, 1, fresh_root("127.0.0.1"));
	guests->keeper.identity.nranks = nranks;
	begin_rank(&guests->keeper);
	guests->n = 0;
}

static totum_status knock(struct guests *guests, int rank, int nranks, const char *algo)
{
	struct tt_identity me = guests->keeper.identity;
	struct tt_settings settings = guests->keeper.settings;
	struct tt_place place;
	int keeper;

	me.rank = rank;
	me.nranks = nranks;
	strcpy(settings.algo, algo);
	assert_int_equal(tt_place_parse(me.root, &place), 0);
	totum_status status =
		tt_gate_knock(&me, &settings, &place, NULL, &guests->fds[guests->n], &keeper);
	guests->n += !status;
	assert_int_equal(keeper, 0);
	return status;
}

/* The keeper and all guests but one hear the same. */
static void all_hear(struct guests *guests, int but, totum_status status, const char *words)
{
	struct tt_meeting_head head;

	pthread_join(guests->keeper.thread, NULL);
	all_say(&guests->keeper, 1, status, words);
	for (int i = 0; i < guests->n; i++) {
		if (i == but)
			continue;
		assert_int_equal(
			tt_meeting_expect(guests->fds[i], TT_MEETING_GO, 0, 0, UINT64_MAX, &head),
			status);
		if (!strstr(totum_errmsg(), words))
			fail_msg("a rank hears \"%s\"", totum_errmsg());
		close(guests->fds[i]);
	}
}

static void differs(int rank, int nranks, const char *algo, const char *words)
{
	struct guests guests;

	invite(&guests, 4);
	assert_int_equal(knock(&guests, 1, 4, ""), TOTUM_OK);
	assert_int_equal(knock(&guests, 2, 4, ""), TOTUM_OK);
	assert_int_equal(knock(&guests, rank, nranks, algo), TOTUM_EINVAL);
	if (!strstr(totum_errmsg(), words))
		fail_msg("rank %d of %d hears \"%s\"", rank, nranks, totum_errmsg());
	all_hear(&guests, -1, TOTUM_EINVAL, words);
}

static void test_disagreement(void **state)
{
	(void)state;
	differs(3, 5, "", "rank 3 was told of 5 ranks, rank 0 of 4");
	differs(4, 5, "", "rank 4 was told of 5 ranks, rank 0 of 4");
	differs(65535, 65536, "", "rank 65535 was told of 65536 ranks, rank 0 of 4");
	differs(1, 4, "", "two processes say they are rank 1");
	differs(0, 4, "", "two processes say they are rank 0");
	differs(3, 4, "bruck,radix=3", "TOTUM_ALGO is \"bruck,radix=3\" on rank 3");
}

static void test_secrets(void **state)
{
	struct rank ranks[3];

	(void)state;
	make_ranks(ranks, 3, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < 3; rank++)
		ranks[rank].identity.secret[0] = 0;
	meet(ranks, 3);
	all_say(ranks, 3, TOTUM_EINVAL, "TOTUM_SECRET_FILE");

	/* one with another secret: it is told so, and it is the one that is missing to the others
	 */
	make_ranks(ranks, 3, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < 3; rank++)
		ranks[rank].settings.timeout = 4;
	strcpy(ranks[1].identity.secret, "known to someone else");
	meet(ranks, 3);
	all_say(ranks + 1, 1, TOTUM_EINVAL, "has another secret than rank 1");
	ranks[1] = ranks[0];
	all_say(ranks, 3, TOTUM_ETIMEOUT, "rank 1 of 3 did not come");

	/* a rank of the same secret and another run */
	make_ranks(ranks, 3, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < 3; rank++) {
		ranks[rank].settings.timeout = 4;
		strcat(ranks[rank].identity.root, rank == 2 ? "#run 1" : "#run 2");
	}
	meet(ranks, 3);
	all_say(ranks + 2, 1, TOTUM_EINVAL, "has another secret than rank 2");
	all_say(ranks, 2, TOTUM_ETIMEOUT, "rank 2 of 3 did not come");
}

static void test_missing(void **state)
{
	struct rank ranks[5];

	(void)state;
	make_ranks(ranks, 5, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < 5; rank++)
		ranks[rank].settings.timeout = 0.7;
	begin_rank(&ranks[0]);
	begin_rank(&ranks[2]);
	begin_rank(&ranks[4]);
	for (int rank = 0; rank < 5; rank += 2)
		pthread_join(ranks[rank].thread, NULL);
	for (int rank = 0; rank < 5; rank += 2)
		all_say(&ranks[rank], 1, TOTUM_ETIMEOUT, "rank 1, 3 of 5 did not come");

	/* nobody keeps the door */
	begin_rank(&ranks[3]);
	pthread_join(ranks[3].thread, NULL);
	all_say(&ranks[3], 1, TOTUM_ETIMEOUT, "has not found the other ranks");

	/* all have come, and one says nothing any more */
	make_ranks(ranks, 5, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < 5; rank++)
		ranks[rank].settings.timeout = 0.7;
	ranks[3].sleeps_at = 1;
	meet(ranks, 5);
	all_say(ranks, 5, TOTUM_ETIMEOUT, "rank 3 of 5 did not come");
}

static void test_deaths(void **state)
{
	struct rank ranks[5];

	(void)state;
	for (int round = 0; round < 3; round++) {
		make_ranks(ranks, 5, fresh_root("127.0.0.1"));
		ranks[3].leaves_at = round;
		meet(ranks, 5);
		all_say(ranks, 3, TOTUM_ELOST, "rank 3 of 5 died");
		all_say(ranks + 4, 1, TOTUM_ELOST, "rank 3 of 5 died");
	}
	make_ranks(ranks, 5, fresh_root("127.0.0.1"));
	ranks[0].leaves_at = 1;
	meet(ranks, 5);
	all_say(ranks + 1, 4, TOTUM_ELOST, "rank 0 has gone");

	/* welcome, and gone before the last one comes */
	struct guests guests;
	invite(&guests, 5);
	for (int rank = 1; rank < 4; rank++)
		assert_int_equal(knock(&guests, rank, 5, ""), TOTUM_OK);
	close(guests.fds[1]);
	all_hear(&guests, 1, TOTUM_ELOST, "rank 2 of 5 died");
}

static void test_port_in_use(void **state)
{
	struct rank ranks[2];
	struct sockaddr_in name = {.sin_family = AF_INET};
	const char *root = fresh_root("127.0.0.1");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	name.sin_port = htons((uint16_t)port_of(root));
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	assert_int_equal(listen(fd, 5), 0);
	make_ranks(ranks, 2, root);
	ranks[1].settings.timeout = 3;
	meet(ranks, 2);
	all_say(ranks, 1, TOTUM_EINVAL, "is in use by another process");
	all_say(ranks + 1, 1, TOTUM_ETIMEOUT, "has not found the other ranks");
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),         cmocka_unit_test(test_all_come),
		cmocka_unit_test(test_forms_of_roots), cmocka_unit_test(test_again_and_again),
		cmocka_unit_test(test_disagreement),   cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_missing),        cmocka_unit_test(test_deaths),
		cmocka_unit_test(test_port_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
