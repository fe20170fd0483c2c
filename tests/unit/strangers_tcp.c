/* SPDX-License-Identifier: BSD-3-Clause */
/* Strangers at a meeting by TCP; the last rank comes when they have done their worst. */
#include "unit/meeting_root.h"

#include "launch/place.h"
#include "launch/tcp_meeting.h"

static int dial(const char *root)
{
	struct sockaddr_in name = {.sin_family = AF_INET,
				   .sin_port = htons((uint16_t)port_of(root))};

	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		assert_true(fd >= 0);
		if (!connect(fd, (struct sockaddr *)&name, sizeof name))
			return fd;
		close(fd);
		sleep_ms(2);
	}
}

static void begin_all_but_last(struct rank *ranks, int n)
{
	make_ranks(ranks, n, fresh_root("127.0.0.1"));
	for (int rank = 0; rank < n - 1; rank++)
		begin_rank(&ranks[rank]);
}

static void end_with_last(struct rank *ranks, int n)
{
	begin_rank(&ranks[n - 1]);
	for (int rank = 0; rank < n; rank++)
		pthread_join(ranks[rank].thread, NULL);
	all_well(ranks, n);
}

static bool hangs_up(int fd)
{
	char bin[256];
	struct timeval patience = {.tv_sec = 10};
	ssize_t got;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	while ((got = recv(fd, bin, sizeof bin, 0)) > 0)
		;
	return got == 0 || (errno != EAGAIN && errno != EINTR);
}

static void test_silent_crowd(void **state)
{
	enum { CROWD = 400 };
	struct rank ranks[3];
	int fds[CROWD];

	(void)state;
	begin_all_but_last(ranks, 3);
	for (int i = 0; i < CROWD; i++)
		fds[i] = dial(ranks[0].identity.root);
	end_with_last(ranks, 3);
	for (int i = 0; i < CROWD; i++)
		close(fds[i]);

	/* without others to make room for, they go by themselves */
	begin_all_but_last(ranks, 3);
	fds[0] = dial(ranks[0].identity.root);
	assert_true(hangs_up(fds[0]));
	close(fds[0]);
	end_with_last(ranks, 3);
}

static void test_noise(void **state)
{
	static const char http[] = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
	struct rank ranks[3];
	unsigned char bytes[4096];

	(void)state;
	begin_all_but_last(ranks, 3);
	for (int visit = 0; visit < 64; visit++) {
		int fd = dial(ranks[0].identity.root);
		srand((unsigned)visit);
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (unsigned char)rand();
		if (visit % 4 == 1)
			memcpy(bytes, "TOTUMTC\1", 8);
		if (visit % 4 == 2)
			memcpy(bytes, http, sizeof http);
		for (int i = 0; i < (visit % 4 ? 1 : 256); i++)
			if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) < 0)
				break;
		assert_true(hangs_up(fd));
		close(fd);
	}
	end_with_last(ranks, 3);
}

/* A whole handshake as rank 1 of somebody who knows the secret; what was sent is left in proof. */
static int shake(const char *root, const char *know, unsigned char *hello, unsigned char *proof)
{
	struct tt_identity me = {.rank = 1};
	struct tt_place place;
	unsigned char challenge[TT_TCP_CHALLENGE];
	struct tt_terms terms = {.nranks = 3};
	int fd = dial(root);

	strcpy(me.secret, know);
	assert_int_equal(tt_place_parse(root, &place), 0);
	struct tt_meeting_key key = tt_meeting_key(&me, &place);
	assert_true(tt_meeting_hello_write(1, hello));
	assert_int_equal(send(fd, hello, TT_TCP_HELLO, 0), TT_TCP_HELLO);
	assert_int_equal(recv(fd, challenge, sizeof challenge, MSG_WAITALL), sizeof challenge);
	struct tt_tcp_proof_of of = tt_meeting_proof_of(&key, hello, challenge);
	assert_int_equal(tt_tcp_proves(&of, false, challenge + TT_TCP_NONCE),
			 !strcmp(know, secret));
	assert_true(tt_tcp_prove(&of, true, proof));
	tt_meeting_terms_write(&terms, proof + TT_TCP_PROOF);
	return fd;
}

static void test_half_handshakes_and_replays(void **state)
{
	struct rank ranks[3];
	unsigned char hello[TT_TCP_HELLO], proof[TT_MEETING_PROOF], challenge[TT_TCP_CHALLENGE];

	(void)state;
	make_ranks(ranks, 3, fresh_root("127.0.0.1"));
	begin_rank(&ranks[0]);
	const char *root = ranks[0].identity.root;
	/* another job's secret */
	int fd = shake(root, "another secret", hello, proof);
	assert_int_equal(send(fd, proof, sizeof proof, 0), sizeof proof);
	assert_true(hangs_up(fd));
	close(fd);
	/* a right proof of which all but the last byte comes, and the same in another connection */
	fd = shake(root, secret, hello, proof);
	assert_int_equal(send(fd, proof, sizeof proof - 1, 0), sizeof proof - 1);
	int again = dial(root);
	assert_int_equal(send(again, hello, sizeof hello, 0), sizeof hello);
	assert_int_equal(recv(again, challenge, sizeof challenge, MSG_WAITALL), sizeof challenge);
	assert_int_equal(send(again, proof, sizeof proof, 0), sizeof proof);
	assert_true(hangs_up(again));
	close(again);
	/* the keeper's own words as a proof */
	again = dial(root);
	assert_int_equal(send(again, hello, sizeof hello, 0), sizeof hello);
	assert_int_equal(recv(again, challenge, sizeof challenge, MSG_WAITALL), sizeof challenge);
	memcpy(proof, challenge + TT_TCP_NONCE, TT_TCP_PROOF);
	assert_int_equal(send(again, proof, sizeof proof, 0), sizeof proof);
	assert_true(hangs_up(again));
	close(again);
	close(fd);
	begin_rank(&ranks[1]);
	end_with_last(ranks, 3);
}

/* Bytes that come one by one: slow is not strange. */
static void test_slow_rank(void **state)
{
	struct rank ranks[3];
	unsigned char hello[TT_TCP_HELLO], proof[TT_MEETING_PROOF], head[TT_MEETING_HEAD];

	(void)state;
	make_ranks(ranks, 3, fresh_root("127.0.0.1"));
	begin_rank(&ranks[0]);
	begin_rank(&ranks[2]);
	int fd = shake(ranks[0].identity.root, secret, hello, proof);
	for (size_t i = 0; i < sizeof proof; i++) {
		assert_int_equal(send(fd, proof + i, 1, 0), 1);
		if (i % 16 == 0)
			sleep_ms(1);
	}
	assert_int_equal(recv(fd, head, sizeof head, MSG_WAITALL), sizeof head);
	assert_int_equal(head[2], TT_MEETING_WELCOME);
	assert_int_equal(recv(fd, head, sizeof head, MSG_WAITALL), sizeof head);
	assert_int_equal(head[2], TT_MEETING_GO);
	/* a rank with the secret that then talks nonsense ends the meeting for all */
	assert_int_equal(send(fd, proof, sizeof proof, 0), sizeof proof);
	pthread_join(ranks[0].thread, NULL);
	pthread_join(ranks[2].thread, NULL);
	close(fd);
	all_say(ranks, 1, TOTUM_EMISMATCH, "rank 1 tells rank 0 something else");
	all_say(ranks + 2, 1, TOTUM_EMISMATCH, "rank 1 tells rank 0 something else");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_crowd),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_half_handshakes_and_replays),
		cmocka_unit_test(test_slow_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
