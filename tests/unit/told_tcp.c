/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that are told where to meet: by an id that one of them made, a store, a file. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit/meeting.h"

static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

/* --- ids ------------------------------------------------------------------------------------- */

static void make_id(totum_unique_id *id)
{
	struct tt_settings settings = {.timeout = 20};

	if (tt_exchange_make_id(&settings, id))
		fail_msg("no id: %s", totum_errmsg());
	for (size_t i = 0; i < strlen(id->text); i++)
		assert_true(id->text[i] > ' ' && id->text[i] <= '~');
	assert_true(strlen(id->text) < sizeof id->text);
}

static void make_ranks_of(struct rank *ranks, int n, const totum_unique_id *id)
{
	make_ranks(ranks, n, "");
	for (int rank = 0; rank < n; rank++) {
		ranks[rank].identity.secret[0] = 0;
		ranks[rank].id = id;
	}
}

static void test_ids(void **state)
{
	static const int counts[] = {1, 2, 5, 64};
	struct rank ranks[MOST_RANKS];
	totum_unique_id id;

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		make_id(&id);
		make_ranks_of(ranks, counts[i], &id);
		meet(ranks, counts[i]);
		all_well(ranks, counts[i]);
		for (int rank = 0; rank < counts[i]; rank++) {
			assert_string_equal(ranks[rank].identity.root, ranks[0].identity.root);
			assert_string_equal(ranks[rank].identity.secret, ranks[0].identity.secret);
			assert_null(strstr(ranks[rank].identity.root, ranks[0].identity.secret));
		}
	}
}

/* Many at once, made in another order than they are used in; nothing is left of them. */
static void test_many_ids(void **state)
{
	enum { IDS = 20 };
	struct rank ranks[IDS][3];
	totum_unique_id ids[IDS];
	int descriptors = count_descriptors();

	(void)state;
	for (int i = 0; i < IDS; i++) {
		make_id(&ids[i]);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(ids[i].text, ids[j].text);
	}
	for (int i = IDS - 1; i >= 0; i--) {
		make_ranks_of(ranks[i], 3, &ids[i]);
		for (int rank = 0; rank < 3; rank++)
			begin_rank(&ranks[i][rank]);
	}
	for (int i = 0; i < IDS; i++) {
		for (int rank = 0; rank < 3; rank++)
			pthread_join(ranks[i][rank].thread, NULL);
		all_well(ranks[i], 3);
	}
	assert_int_equal(count_descriptors(), descriptors);
}

/* The rank of the process that made the id need not be 0: here others are processes. */
static void test_any_rank_makes_it(void **state)
{
	(void)state;
	for (int maker = 0; maker < 3; maker++) {
		totum_unique_id id;
		struct rank ranks[3];
		pid_t children[3];
		make_id(&id);
		make_ranks_of(ranks, 3, &id);
		for (int rank = 0; rank < 3; rank++) {
			children[rank] = rank == maker ? 0 : fork();
			if (children[rank] || rank == maker)
				continue;
			be_a_rank(&ranks[rank]);
			_exit(ranks[rank].status ? 1 : 0);
		}
		be_a_rank(&ranks[maker]);
		all_well(&ranks[maker], 1);
		for (int rank = 0; rank < 3; rank++) {
			int code = 0;
			if (rank != maker)
				assert_int_equal(waitpid(children[rank], &code, 0), children[rank]);
			assert_int_equal(code, 0);
		}
	}
}

static void test_bad_ids(void **state)
{
	static const char *const bad[] = {"",
					  "totum1:",
					  "totum2:0123456789abcdef0123456789abcdef:1.2.3.4:5",
					  "totum1:0123456789abcdef0123456789abcdeX:1.2.3.4:5",
					  "totum1:0123456789abcdef0123456789abcdef:1.2.3.4",
					  "totum1:0123456789abcdef0123456789abcdef:1.2.3.4:0",
					  "totum1:0123456789abcdef0123456789abcdef:",
					  "totum1:0123456789abcdef0123456789abcdef"};
	struct tt_identity identity = {.rank = 0, .nranks = 2};
	struct tt_settings settings = {.timeout = 0.3};
	struct tt_exchange *exchange;
	totum_unique_id id;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		memset(&id, 0, sizeof id);
		strcpy(id.text, bad[i]);
		if (tt_exchange_id(&identity, &settings, &id, &exchange) != TOTUM_EINVAL)
			fail_msg("\"%s\" is taken for an id", bad[i]);
	}
	/* without an end */
	make_id(&id);
	memset(id.text + strlen(id.text), '1', sizeof id.text - strlen(id.text));
	assert_int_equal(tt_exchange_id(&identity, &settings, &id, &exchange), TOTUM_EINVAL);
	/* one whose maker has gone */
	strcpy(id.text, "totum1:0123456789abcdef0123456789abcdef:127.0.0.1:1");
	assert_int_equal(tt_exchange_id(&identity, &settings, &id, &exchange), TOTUM_ETIMEOUT);
}

/* --- a store in memory ----------------------------------------------------------------------- */

struct shelf {
	pthread_mutex_t lock;
	char key[64], value[256];
	size_t bytes; /* 0: nothing there */
	int refuses;  /* what set returns */
	bool cuts;    /* get gives a byte less */
};

static int set(void *context, const char *key, const void *value, size_t bytes)
{
	struct shelf *shelf = context;

	if (shelf->refuses)
		return shelf->refuses;
	pthread_mutex_lock(&shelf->lock);
	snprintf(shelf->key, sizeof shelf->key, "%s", key);
	memcpy(shelf->value, value, bytes);
	shelf->bytes = bytes;
	pthread_mutex_unlock(&shelf->lock);
	return 0;
}

static int get(void *context, const char *key, void *value, size_t *bytes)
{
	struct shelf *shelf = context;

	pthread_mutex_lock(&shelf->lock);
	bool there = shelf->bytes && !strcmp(shelf->key, key) && *bytes >= shelf->bytes;
	if (there)
		memcpy(value, shelf->value, *bytes = shelf->bytes - (size_t)shelf->cuts);
	pthread_mutex_unlock(&shelf->lock);
	return there ? 0 : -1;
}

static int wait_for(void *context, const char *key, int milliseconds)
{
	struct shelf *shelf = context;

	for (int waited = 0; waited <= milliseconds; waited += 5) {
		pthread_mutex_lock(&shelf->lock);
		bool there = shelf->bytes && !strcmp(shelf->key, key);
		pthread_mutex_unlock(&shelf->lock);
		if (there)
			return 0;
		sleep_ms(5);
	}
	return 1;
}

static void make_ranks_with(struct rank *ranks, int n, const struct totum_store *store)
{
	make_ranks(ranks, n, "");
	for (int rank = 0; rank < n; rank++) {
		ranks[rank].identity.secret[0] = 0;
		ranks[rank].store = store;
	}
}

static void test_store(void **state)
{
	struct shelf shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct totum_store store = {&shelf, set, get, wait_for};
	struct rank ranks[MOST_RANKS];

	(void)state;
	make_ranks_with(ranks, 64, &store);
	meet(ranks, 64);
	all_well(ranks, 64);
	/* the same store again, in which the last id still stands when the others look */
	for (int i = 0; i < 5; i++) {
		make_ranks_with(ranks, 4, &store);
		ranks[0].late_ms = 100;
		meet(ranks, 4);
		all_well(ranks, 4);
	}
	/* or the id of somebody who lives and has another secret */
	totum_unique_id other;
	make_id(&other);
	memcpy(shelf.value, other.text, sizeof other.text);
	make_ranks_with(ranks, 4, &store);
	ranks[0].late_ms = 100;
	meet(ranks, 4);
	all_well(ranks, 4);
	/* or what is no id */
	memset(shelf.value, 'x', sizeof other.text);
	make_ranks_with(ranks, 4, &store);
	ranks[0].late_ms = 100;
	meet(ranks, 4);
	all_well(ranks, 4);
}

static void test_bad_store(void **state)
{
	struct shelf shelf = {.lock = PTHREAD_MUTEX_INITIALIZER, .refuses = 5};
	struct totum_store store = {&shelf, set, get, wait_for};
	struct rank ranks[2];

	(void)state;
	make_ranks_with(ranks, 2, &store);
	ranks[1].settings.timeout = 0.5;
	meet(ranks, 2);
	all_say(ranks, 1, TOTUM_ESYSTEM, "its function set returned 5");
	all_say(ranks + 1, 1, TOTUM_ETIMEOUT, "nothing is told yet by the store");
	shelf.refuses = 0;
	shelf.cuts = true;
	make_ranks_with(ranks, 2, &store);
	ranks[0].settings.timeout = ranks[1].settings.timeout = 0.5;
	meet(ranks, 2);
	all_say(ranks, 1, TOTUM_ETIMEOUT, "rank 1 of 2 did not come");
	all_say(ranks + 1, 1, TOTUM_ETIMEOUT, "has not found the other ranks at \"the store\"");
}

/* --- a file ---------------------------------------------------------------------------------- */

static void leave(const char *path, const char *bytes, size_t n, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_file(void **state)
{
	char folder[] = "/tmp/totum-file-XXXXXX", root[160], path[128];
	struct rank ranks[MOST_RANKS];
	totum_unique_id id;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/meeting", folder);
	static const char *const forms[] = {"file:%s/meeting", "file://%s/meeting", "file:%s"};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		snprintf(root, sizeof root, forms[i], folder);
		make_ranks(ranks, i ? 4 : 64, root);
		ranks[0].late_ms = 50;
		meet(ranks, i ? 4 : 64);
		all_well(ranks, i ? 4 : 64);
		/* of what has been written nothing is left */
		assert_int_equal(rmdir(folder), 0);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	/* what an earlier run has left: of nobody, of somebody who lives, half of it, no id, open
	 */
	make_id(&id);
	for (int kind = 0; kind < 5; kind++) {
		totum_unique_id old = {"totum1:0123456789abcdef0123456789abcdef:127.0.0.1:1"};
		if (kind == 1)
			old = id;
		if (kind == 3)
			memset(&old, 'x', sizeof old);
		leave(path, old.text, kind == 2 ? 40 : sizeof old, kind == 4 ? 0666 : 0600);
		snprintf(root, sizeof root, "file:%s", path);
		make_ranks(ranks, 4, root);
		ranks[0].late_ms = 150;
		meet(ranks, 4);
		all_well(ranks, 4);
		assert_int_equal(access(path, F_OK), -1);
	}
	/* nobody else's file is believed or removed */
	leave(path, id.text, sizeof id, 0600);
	make_ranks(ranks, 2, root);
	ranks[1].settings.timeout = 0.5;
	begin_rank(&ranks[1]);
	pthread_join(ranks[1].thread, NULL);
	all_say(ranks + 1, 1, TOTUM_ETIMEOUT, path);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	/* nowhere */
	snprintf(root, sizeof root, "file:%s/none/meeting", folder);
	make_ranks(ranks, 2, root);
	ranks[1].settings.timeout = 0.5;
	meet(ranks, 2);
	all_say(ranks, 1, TOTUM_ESYSTEM, "rank 0 cannot write where the ranks meet");
	all_say(ranks + 1, 1, TOTUM_ETIMEOUT, "none/meeting");
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_many_ids),
		cmocka_unit_test(test_any_rank_makes_it),
		cmocka_unit_test(test_bad_ids),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_bad_store),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
