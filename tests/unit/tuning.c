/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tuning files: what they mean, the same bytes for the same facts, a line number and a sentence for
 * each way to get one wrong, merging, and 10 000 mutations.  A mutation's failure prints its seed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "planner/tuning.h"

#define FIRST "totum tuning 1\n"
#define LINK  "link inside exchange=1.71 ports=1 together=1.30\n"
#define PIECE "piece inside from=0 alpha=420ns beta=3120MB/s\n"

static const char whole[] =
	FIRST LINK PIECE "piece inside from=32K alpha=4100ns beta=9800MB/s\n"
			 "link between exchange=1.98 ports=2 together=1.05\n"
			 "piece between from=0 alpha=28us beta=1170MB/s\n"
			 "add cached=21GB/s memory=6500MB/s\n"
			 "copy cached=18GB/s memory=5100MB/s stream=9300MB/s\n"
			 "use allgather n=8 hosts=1 bytes=1:1M algo=ring\n"
			 "use allgather n=8 hosts=2 bytes=1:64K algo=bruck,radix=3\n"
			 "use allgather n=8 hosts=2 bytes=65537:1G algo=ring\n"
			 "use allreduce n=4 hosts=2 bytes=0:64K algo=recursive_doubling\n"
			 "end\n";

static struct tt_tuning *parsed(const char *text)
{
	struct tt_tuning *tuning = NULL;

	if (tt_tuning_read(text, strlen(text), "f", &tuning))
		fail_msg("%s", totum_errmsg());
	return tuning;
}

/* The caller frees it. */
static char *written(const struct tt_tuning *tuning)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	tt_tuning_write(tuning, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* The text means what the other one, in its canonical form, says. */
static void assert_means(const char *text, const char *canonical)
{
	struct tt_tuning *tuning = parsed(text);
	char *out = written(tuning);

	assert_string_equal(out, canonical);
	free(out);
	tt_tuning_free(tuning);
}

static void test_facts(void **state)
{
	struct tt_tuning *tuning = parsed(whole);
	const struct tt_tuning_link *inside = &tuning->links[TT_INSIDE];

	(void)state;
	assert_int_equal(inside->npieces, 2);
	assert_int_equal(inside->pieces[1].from, 32768);
	assert_int_equal(inside->pieces[1].alpha, 4100000);
	assert_int_equal(inside->pieces[1].beta, 9800000000);
	assert_int_equal(inside->exchange, 171);
	assert_int_equal(inside->together, 130);
	assert_int_equal(tuning->links[TT_BETWEEN].ports, 2);
	assert_int_equal(tuning->links[TT_BETWEEN].npieces, 1);
	assert_int_equal(tuning->rates[TT_ADD_MEMORY], 6500000000);
	assert_int_equal(tuning->rates[TT_COPY_STREAM], 9300000000);
	assert_int_equal(tuning->nuses, 4);
	tt_tuning_free(tuning);
}

static void test_decisions(void **state)
{
	struct tt_tuning *tuning = parsed(whole);

	(void)state;
	assert_string_equal(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 2, 1), "bruck,radix=3");
	assert_string_equal(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 2, 65536), "bruck,radix=3");
	assert_string_equal(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 2, 65537), "ring");
	assert_string_equal(tt_tuning_find_use(tuning, TT_ALLREDUCE, 4, 2, 0),
			    "recursive_doubling");
	assert_null(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 2, 0));
	assert_null(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 2, (1 << 30) + 1));
	assert_null(tt_tuning_find_use(tuning, TT_ALLGATHER, 8, 3, 64));
	assert_null(tt_tuning_find_use(tuning, TT_ALLGATHER, 7, 2, 64));
	assert_null(tt_tuning_find_use(tuning, TT_BROADCAST, 8, 2, 64));
	assert_null(tt_tuning_find_use(NULL, TT_ALLGATHER, 8, 2, 64));
	tt_tuning_free(tuning);
}

static void test_stable(void **state)
{
	(void)state;
	assert_means(whole, whole);
	assert_means(FIRST "end\n", FIRST "end\n");
	assert_means(FIRST "# a remark\n\n \t\n"
			   "piece \t inside beta=3.12GB/s alpha=0.42us from=0 \n"
			   "link inside together=1.3 ports=1 exchange=1.71\n"
			   "end\n#\n",
		     FIRST LINK PIECE "end\n");
	/* groups in another order, and an algorithm with a parameter at its default */
	assert_means(FIRST "use allreduce n=4 hosts=2 bytes=0:64K algo=ring\n"
			   "use allgather n=8 hosts=2 bytes=0:1K algo=bruck,radix=2\n"
			   "use allgather n=2 hosts=1 bytes=0:0 algo=ring\n"
			   "use allgather n=8 hosts=2 bytes=2K:4K algo=ring\nend\n",
		     FIRST "use allgather n=2 hosts=1 bytes=0:0 algo=ring\n"
			   "use allgather n=8 hosts=2 bytes=0:1K algo=bruck\n"
			   "use allgather n=8 hosts=2 bytes=2K:4K algo=ring\n"
			   "use allreduce n=4 hosts=2 bytes=0:64K algo=ring\nend\n");
}

static void test_hash(void **state)
{
	static const char *const changed[] = {
		FIRST "end\n",
		FIRST LINK PIECE "end\n",
		FIRST "link inside exchange=1.72 ports=1 together=1.30\n" PIECE "end\n",
		FIRST "link inside exchange=1.71 ports=2 together=1.30\n" PIECE "end\n",
		FIRST "link inside exchange=1.71 ports=1 together=1.31\n" PIECE "end\n",
		FIRST LINK "piece inside from=0 alpha=421ns beta=3120MB/s\nend\n",
		FIRST LINK "piece inside from=0 alpha=420ns beta=3121MB/s\nend\n",
		FIRST LINK PIECE "piece inside from=1 alpha=420ns beta=3120MB/s\nend\n",
		FIRST "link between exchange=1.71 ports=1 together=1.30\n"
		      "piece between from=0 alpha=420ns beta=3120MB/s\nend\n",
		FIRST "add cached=1GB/s memory=2GB/s\nend\n",
		FIRST "add cached=2GB/s memory=1GB/s\nend\n",
		FIRST "use allgather n=8 hosts=2 bytes=1:64K algo=ring\nend\n",
		FIRST "use allgather n=8 hosts=2 bytes=1:64K algo=bruck\nend\n",
		FIRST "use allgather n=8 hosts=2 bytes=2:64K algo=ring\nend\n",
	};
	enum { CHANGED = sizeof changed / sizeof *changed };
	uint64_t hashes[CHANGED];

	(void)state;
	assert_int_equal(tt_tuning_hash(NULL), 0);
	for (int i = 0; i < CHANGED; i++) {
		struct tt_tuning *tuning = parsed(changed[i]);

		hashes[i] = tt_tuning_hash(tuning);
		assert_true(hashes[i] != 0);
		for (int j = 0; j < i; j++)
			if (hashes[i] == hashes[j])
				fail_msg("texts %d and %d have one hash", i, j);
		tt_tuning_free(tuning);
	}
	struct tt_tuning *one = parsed(FIRST LINK PIECE "end\n");
	struct tt_tuning *other = parsed(FIRST "# other bytes, same facts\n"
					       "piece inside from=0 beta=3.12GB/s alpha=0.42us\n"
					       "link inside exchange=1.71 together=1.3 ports=1\n"
					       "end\n");

	assert_true(tt_tuning_hash(one) == tt_tuning_hash(other));
	tt_tuning_free(one);
	tt_tuning_free(other);
}

/* text is refused at that line with a sentence that has this part. */
static const struct wrong {
	const char *text;
	int line;
	const char *part;
} wrong[] = {
	{"", 1, "empty"},
	{"\n", 1, "no tuning file"},
	{"totum tuning 1", 1, "cut off"},
	{FIRST, 1, "without a line 'end'"},
	{FIRST LINK PIECE, 3, "without a line 'end'"},
	{FIRST LINK "piece inside from=0 alpha=420ns beta=31", 3, "cut off"},
	{FIRST LINK PIECE "end", 4, "cut off"},
	{FIRST LINK PIECE "en", 4, "cut off"},
	{"totum tuning 1\r\nend\r\n", 1, "carriage return"},
	{FIRST LINK "piece inside from=0 alpha=420ns beta=3120MB/s\r\nend\n", 3, "carriage return"},
	{"totum tuning 2\nend\n", 1, "version '2'"},
	{"totum tuning 10\nend\n", 1, "version '10'"},
	{"totum tuning \nend\n", 1, "version ''"},
	{"totum tunings 1\nend\n", 1, "no tuning file"},
	{" totum tuning 1\nend\n", 1, "no tuning file"},
	{"# a remark\n" FIRST "end\n", 1, "no tuning file"},
	{FIRST "end\nend\n", 3, "behind the line 'end'"},
	{FIRST "end 1\n", 2, "no field"},
	{FIRST "end x=1\n", 2, "too many"},
	{FIRST "lnik inside exchange=1 ports=1 together=1\nend\n", 2, "did you mean link"},
	{FIRST "link\nend\n", 2, "followed by inside or between"},
	{FIRST "link exchange=1 ports=1 together=1\nend\n", 2, "followed by inside or between"},
	{FIRST "link outside exchange=1 ports=1 together=1\nend\n", 2, "inside and between"},
	{FIRST "link inside exchange=1 ports=1\nend\n", 2, "together of 'link' is missing"},
	{FIRST "link inside exchange=1 ports=1 together=1 hops=1\nend\n", 2, "'hops' is one field"},
	{FIRST "link inside exchange=1 ports=1 together=1 ports=2\nend\n", 2, "given twice"},
	{FIRST "link inside exchange=1 ports=1 together\nend\n", 2, "'together' is no field"},
	{FIRST "link inside exchange=1 ports=1 together=\nend\n", 2, "'together=' is no field"},
	{FIRST "link inside exchange=0 ports=1 together=1\nend\n", 2, "exchange: '0'"},
	{FIRST "link inside exchange=-1 ports=1 together=1\nend\n", 2, "exchange: '-1'"},
	{FIRST "link inside exchange=1.711 ports=1 together=1\nend\n", 2, "exchange: '1.711'"},
	{FIRST "link inside exchange=1. ports=1 together=1\nend\n", 2, "exchange: '1.'"},
	{FIRST "link inside exchange=nan ports=1 together=1\nend\n", 2, "exchange: 'nan'"},
	{FIRST "link inside exchange=99999999 ports=1 together=1\nend\n", 2, "exchange: '9999"},
	{FIRST "link inside exchange=1 ports=0 together=1\nend\n", 2, "ports: '0'"},
	{FIRST "link inside exchange=1 ports=1 together=1e3\nend\n", 2, "together: '1e3'"},
	{FIRST LINK LINK PIECE "end\n", 3, "there twice"},
	{FIRST LINK "end\n", 2, "no line 'piece'"},
	{FIRST "\n" PIECE "end\n", 3, "no line 'link'"},
	{FIRST LINK "piece inside from=1 alpha=1us beta=1GB/s\nend\n", 3, "must be from=0"},
	{FIRST LINK PIECE PIECE "end\n", 4, "ascending"},
	{FIRST LINK PIECE "piece inside from=64K alpha=1us beta=1GB/s\n"
			  "piece inside from=32K alpha=1us beta=1GB/s\nend\n",
	 5, "ascending"},
	{FIRST LINK "piece inside from=0 alpha=1 beta=1GB/s\nend\n", 3, "alpha: '1'"},
	{FIRST LINK "piece inside from=0 alpha=-1us beta=1GB/s\nend\n", 3, "alpha: '-1us'"},
	{FIRST LINK "piece inside from=0 alpha=1us beta=0B/s\nend\n", 3, "beta: '0B/s'"},
	{FIRST LINK "piece inside from=0 alpha=1us beta=inf\nend\n", 3, "beta: 'inf'"},
	{FIRST LINK "piece inside from=99999999999999999999 alpha=1us beta=1GB/s\nend\n", 3,
	 "from"},
	{FIRST "add cached=1GB/s\nend\n", 2, "memory of 'add' is missing"},
	{FIRST "add inside cached=1GB/s memory=1GB/s\nend\n", 2, "'inside' is no field"},
	{FIRST "add cached=1GB/s memory=1GB/s\nadd cached=1GB/s memory=1GB/s\nend\n", 3, "twice"},
	{FIRST "copy cached=1GB/s memory=1GB/s stream=1\nend\n", 2, "stream: '1'"},
	{FIRST "use allgahter n=8 hosts=2 bytes=1:2 algo=ring\nend\n", 2, "did you mean allgather"},
	{FIRST "use n=8 hosts=2 bytes=1:2 algo=ring\nend\n", 2, "followed by a collective"},
	{FIRST "use allgather n=8 hosts=2 bytes=1:2 algo=rign\nend\n", 2, "algo:"},
	{FIRST "use allgather n=8 hosts=2 bytes=1:2 algo=bruck,radix=99\nend\n", 2, "algo:"},
	{FIRST "use allgather n=6 hosts=2 bytes=1:2 algo=recursive_doubling\nend\n", 2, "power"},
	{FIRST "use allgather n=0 hosts=1 bytes=1:2 algo=ring\nend\n", 2, "n: '0'"},
	{FIRST "use allgather n=8 hosts=9 bytes=1:2 algo=ring\nend\n", 2, "hosts: '9'"},
	{FIRST "use allgather n=8 hosts=2 bytes=1 algo=ring\nend\n", 2, "bytes: '1'"},
	{FIRST "use allgather n=8 hosts=2 bytes=2:1 algo=ring\nend\n", 2, "goes down"},
	{FIRST "use allgather n=8 hosts=2 bytes=1: algo=ring\nend\n", 2, "bytes:"},
	{FIRST "use allgather n=8 hosts=2 bytes=64K:1M algo=ring\n"
	       "use allgather n=8 hosts=2 bytes=1:64 algo=bruck\nend\n",
	 3, "ascending"},
	{FIRST "use allgather n=8 hosts=2 bytes=1:64K algo=ring\n"
	       "use allgather n=4 hosts=2 bytes=1:64K algo=ring\n"
	       "use allgather n=8 hosts=2 bytes=64K:1M algo=bruck\nend\n",
	 4, "ascending"},
	{FIRST "x x x x x x x x x x x x x x x x x x x\nend\n", 2, "words in a line"},
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct tt_tuning *tuning = NULL;
		char where[32];
		const char *text = wrong[i].text;

		assert_int_equal(tt_tuning_read(text, strlen(text), "some/f", &tuning),
				 TOTUM_EPARSE);
		assert_null(tuning);
		snprintf(where, sizeof where, "some/f:%d: ", wrong[i].line);
		if (strncmp(totum_errmsg(), where, strlen(where)) ||
		    !strstr(totum_errmsg(), wrong[i].part))
			fail_msg("\"%s\": expected %s..%s, got %s", text, where, wrong[i].part,
				 totum_errmsg());
	}
}

static void test_bytes_that_are_no_text(void **state)
{
	static const char zero[] = FIRST "en\0d\nend\n";
	char line[1000] = FIRST "#";
	struct tt_tuning *tuning;

	(void)state;
	assert_int_equal(tt_tuning_read(zero, sizeof zero - 1, "f", &tuning), TOTUM_EPARSE);
	assert_non_null(strstr(totum_errmsg(), "f:2: the line holds a zero byte"));
	memset(line + strlen(line), '#', sizeof line - strlen(line));
	assert_int_equal(tt_tuning_read(line, sizeof line, "f", &tuning), TOTUM_EPARSE);
	line[sizeof line - 1] = '\n';
	assert_int_equal(tt_tuning_read(line, sizeof line, "f", &tuning), TOTUM_EPARSE);
	assert_non_null(strstr(totum_errmsg(), "f:2: the line is longer"));
}

/* Cut off anywhere, a file is refused. */
static void test_every_truncation(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof whole - 1; length++) {
		struct tt_tuning *tuning = NULL;

		if (tt_tuning_read(whole, length, "f", &tuning) != TOTUM_EPARSE)
			fail_msg("%zu bytes are accepted", length);
		assert_null(tuning);
	}
}

static void assert_merges(const char *into, const char *from, const char *result)
{
	struct tt_tuning *a = parsed(into), *b = parsed(from);

	assert_int_equal(tt_tuning_merge(a, b), TOTUM_OK);
	char *text = written(a);

	assert_string_equal(text, result);
	free(text);
	tt_tuning_free(a);
	tt_tuning_free(b);
}

static void test_merge(void **state)
{
#define BETWEEN                                                                                    \
	"link between exchange=2.00 ports=1 together=1.00\n"                                       \
	"piece between from=0 alpha=1us beta=1GB/s\n"
#define OTHER                                                                                      \
	"link inside exchange=1.00 ports=3 together=1.00\npiece inside from=0 alpha=0 beta=7B/s\n"
	(void)state;
	assert_merges(FIRST "end\n", whole, whole);
	assert_merges(whole, FIRST "end\n", whole);
	assert_merges(whole, whole, whole);
	assert_merges(FIRST LINK PIECE "end\n", FIRST BETWEEN "end\n",
		      FIRST LINK PIECE BETWEEN "end\n");
	assert_merges(FIRST BETWEEN "end\n", FIRST LINK PIECE "end\n",
		      FIRST LINK PIECE BETWEEN "end\n");
	/* of a class both know, all pieces are the second one's */
	assert_merges(FIRST LINK PIECE "piece inside from=1 alpha=2us beta=2GB/s\n" BETWEEN "end\n",
		      FIRST OTHER "add cached=1GB/s memory=2GB/s\nend\n",
		      FIRST OTHER BETWEEN "add cached=1GB/s memory=2GB/s\nend\n");
	assert_merges(FIRST "use allgather n=8 hosts=2 bytes=1:64K algo=ring\n"
			    "use allgather n=8 hosts=2 bytes=1M:1G algo=bruck\n"
			    "use allgather n=9 hosts=3 bytes=0:1 algo=ring\nend\n",
		      FIRST "use allgather n=8 hosts=2 bytes=2:4K algo=direct\n"
			    "use broadcast n=2 hosts=2 bytes=0:1 algo=binomial\nend\n",
		      FIRST "use allgather n=8 hosts=2 bytes=2:4K algo=direct\n"
			    "use allgather n=9 hosts=3 bytes=0:1 algo=ring\n"
			    "use broadcast n=2 hosts=2 bytes=0:1 algo=binomial\nend\n");
}

static void test_many_decisions(void **state)
{
	struct tt_tuning *tuning;

	(void)state;
	assert_int_equal(tt_tuning_new(&tuning), TOTUM_OK);
	for (uint64_t i = 0; i < 1000; i++) {
		struct tt_tuning_use use = {.collective = TT_ALLGATHER,
					    .nranks = 2 + (int64_t)(i * 7 % 10),
					    .nhosts = 1,
					    .low = 2 * i,
					    .high = 2 * i,
					    .algorithm = "ring"};

		assert_int_equal(tt_tuning_add_use(tuning, &use), TOTUM_OK);
	}
	for (uint64_t i = 0; i < 1000; i++) {
		int64_t nranks = 2 + (int64_t)(i * 7 % 10);

		assert_non_null(tt_tuning_find_use(tuning, TT_ALLGATHER, nranks, 1, 2 * i));
		assert_null(tt_tuning_find_use(tuning, TT_ALLGATHER, nranks, 1, 2 * i + 1));
	}
	tt_tuning_free(tuning);
}

static void test_files(void **state)
{
	char name[] = "/tmp/totum-tuning-XXXXXX";
	int fd = mkstemp(name);
	struct tt_tuning *tuning;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, whole, sizeof whole - 1), sizeof whole - 1);
	totum_status status = tt_tuning_open(name, &tuning);
	close(fd);
	unlink(name);
	assert_int_equal(status, TOTUM_OK);
	assert_int_equal(tuning->nuses, 4);
	tt_tuning_free(tuning);
	assert_int_equal(tt_tuning_open(name, &tuning), TOTUM_ESYSTEM);
	assert_non_null(strstr(totum_errmsg(), name));
	assert_int_equal(tt_tuning_open("/", &tuning), TOTUM_ESYSTEM);
	assert_int_equal(tt_tuning_open("/dev/null", &tuning), TOTUM_EPARSE);
	assert_int_equal(tt_tuning_open("/dev/zero", &tuning), TOTUM_EPARSE);
}

/* Bytes replaced, cut out, doubled; lines swapped.  What is still accepted is written stably. */
static void test_mutations(void **state)
{
	static const char alphabet[] = "0123456789=.:, \n\r\t#KMGTBbitns/-x\xff";
	int accepted = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10000; seed++) {
		uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
		size_t length = sizeof whole - 1;
		char text[2 * sizeof whole];

		memcpy(text, whole, sizeof whole);
		for (uint64_t i = 0; i <= seed % 3; i++) {
			random ^= random >> 12;
			random ^= random << 25;
			random ^= random >> 27;
			size_t at = random % length, n = (random >> 32) % 40;

			n = n < length - at ? n : length - at - 1;
			if (random >> 62 == 0) {
				memmove(text + at, text + at + n, length - at - n);
				length -= n;
			} else if (random >> 62 == 1) {
				memmove(text + at + n, text + at, length - at);
				length += n;
			} else {
				text[at] = alphabet[(random >> 40) % (sizeof alphabet - 1)];
			}
		}
		struct tt_tuning *tuning, *again;

		if (tt_tuning_read(text, length, "f", &tuning)) {
			if (strncmp(totum_errmsg(), "f:", 2))
				fail_msg("seed %llu: %s", (unsigned long long)seed, totum_errmsg());
			continue;
		}
		char *out = written(tuning);

		if (tt_tuning_read(out, strlen(out), "f", &again))
			fail_msg("seed %llu: %s", (unsigned long long)seed, totum_errmsg());
		assert_true(tt_tuning_hash(tuning) == tt_tuning_hash(again));
		tt_tuning_free(tuning);
		tt_tuning_free(again);
		free(out);
		accepted++;
	}
	assert_in_range(accepted, 100, 9000); /* else the mutations try nothing */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_decisions),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_bytes_that_are_no_text),
		cmocka_unit_test(test_every_truncation),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_many_decisions),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
