/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which rank, and where ranks meet, by the variables of the launchers: on one host a name, on
 * several a root that reaches out; and what is wrong, by the name of the variable.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "launch/exchange.h"
#include "launch/nodelist.h"

static char folder[] = "/tmp/totum-identity-XXXXXX", secret_path[64];

/* An environment of these words alone: "NAME=VALUE NAME=VALUE"; a _ in a value is a space. */
static totum_status look(const char *words, struct tt_identity *out)
{
	struct tt_settings settings = {.timeout = 1};
	char copy[2048];

	clearenv();
	snprintf(copy, sizeof copy, "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
		char *value = strchr(word, '=');
		*value++ = 0;
		assert_int_equal(setenv(word, strcmp(value, "FILE") ? value : secret_path, 1), 0);
	}
	return tt_identity_find(&settings, out);
}

static void finds(const char *words, const char *family, int rank, int nranks, const char *root)
{
	struct tt_identity out;

	if (look(words, &out))
		fail_msg("%s: %s", words, totum_errmsg());
	assert_string_equal(out.family, family);
	assert_int_equal(out.rank, rank);
	assert_int_equal(out.nranks, nranks);
	if (strncmp(out.root, root, strlen(root)))
		fail_msg("%s: the root is %s instead of %s", words, out.root, root);
	assert_int_equal(tt_exchange_reaches_out(&out), strncmp(root, "local:", 6) && nranks > 1);
	if (!strncmp(out.root, "tcp:", 4))
		assert_string_equal(out.secret, strstr(words, "SECRET") ? "a secret" : "");
}

static void refuses(const char *words, const char *said)
{
	struct tt_identity out;

	if (look(words, &out) != TOTUM_EINVAL)
		fail_msg("%s: is not refused", words);
	if (!strstr(totum_errmsg(), said))
		fail_msg("%s: says \"%s\" instead of \"%s\"", words, totum_errmsg(), said);
}

#define OMPI  "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 "
#define SLURM "SLURM_PROCID=1 SLURM_NTASKS=4 SLURM_JOB_ID=12 SLURM_STEP_ID=3 "
#define TORCH "RANK=1 WORLD_SIZE=4 MASTER_ADDR=host1 MASTER_PORT=29500 "

static void test_one_host(void **state)
{
	(void)state;
	finds(OMPI "PMIX_NAMESPACE=x", "openmpi", 1, 4, "local:openmpi x ");
	finds(OMPI "PMIX_NAMESPACE=x OMPI_COMM_WORLD_LOCAL_SIZE=4", "openmpi", 1, 4,
	      "local:openmpi x ");
	finds(SLURM, "slurm", 1, 4, "local:slurm 12.3");
	finds(SLURM "SLURM_NNODES=1", "slurm", 1, 4, "local:slurm 12.3");
	finds(SLURM "SLURM_NNODES=9 SLURM_STEP_NUM_NODES=1", "slurm", 1, 4, "local:slurm 12.3");
	finds(TORCH, "torchrun", 1, 4, "local:torchrun host1:29500");
	finds(TORCH "LOCAL_WORLD_SIZE=4 TOTUM_SECRET_FILE=FILE", "torchrun", 1, 4,
	      "local:torchrun host1:29500");
	finds("TOTUM_RANK=0 TOTUM_SIZE=1 TOTUM_ROOT=local:x", "totum", 0, 1, "local:x");
	finds("", "none", 0, 1, "");
}

static void test_several_hosts(void **state)
{
	(void)state;
	finds(OMPI "PMIX_NAMESPACE=x OMPI_COMM_WORLD_LOCAL_SIZE=2", "openmpi", 1, 4, "pmix://x");
	finds("PMI_RANK=1 PMI_SIZE=4 PMI_FD=7 MPI_LOCALNRANKS=2", "pmi", 1, 4, "pmi://7");
	finds("PMI_RANK=1 PMI_SIZE=4 PMI_FD=7 SLURM_NNODES=2", "pmi", 1, 4, "pmi://7");
	finds(SLURM "SLURM_NNODES=2 PMIX_NAMESPACE=y PMIX_RANK=1", "slurm", 1, 4, "pmix://y");
	finds(SLURM "SLURM_NNODES=2 SLURM_STEP_NODELIST=n[07-09,3] TOTUM_SECRET_FILE=FILE", "slurm",
	      1, 4, "tcp://n07:2");
	finds(TORCH "LOCAL_WORLD_SIZE=2 TOTUM_SECRET_FILE=FILE", "torchrun", 1, 4,
	      "tcp://host1:30500#torchrun");
	finds("RANK=0 WORLD_SIZE=2 LOCAL_WORLD_SIZE=1 MASTER_ADDR=fd00::1 MASTER_PORT=65000 "
	      "TOTUM_SECRET_FILE=FILE",
	      "torchrun", 0, 2, "tcp://[fd00::1]:64000#");
	finds("TOTUM_RANK=2 TOTUM_SIZE=3 TOTUM_ROOT=tcp://a:5 TOTUM_SECRET_FILE=FILE", "totum", 2,
	      3, "tcp://a:5");
	finds("TOTUM_RANK=2 TOTUM_SIZE=3 TOTUM_ROOT=file:/shared/x", "totum", 2, 3,
	      "file:/shared/x");
	/* by hand; but not what a rank of another job has inherited */
	finds(TORCH "TOTUM_ROOT=a:5 TOTUM_SECRET_FILE=FILE", "torchrun", 1, 4, "a:5");
	finds(TORCH "TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=local:outer", "totum", 0, 2,
	      "local:outer");
}

/* Restarts and steps do not meet each other. */
static void test_roots_differ(void **state)
{
	struct tt_identity a, b;

	(void)state;
	assert_int_equal(look(TORCH "LOCAL_WORLD_SIZE=2 TORCHELASTIC_RESTART_COUNT=0", &a), 0);
	assert_int_equal(look(TORCH "LOCAL_WORLD_SIZE=2 TORCHELASTIC_RESTART_COUNT=1", &b), 0);
	assert_string_not_equal(a.root, b.root);
	assert_int_equal(look(SLURM "SLURM_NNODES=2 SLURM_STEP_NODELIST=n1", &a), 0);
	assert_int_equal(look("SLURM_PROCID=2 SLURM_NTASKS=4 SLURM_JOB_ID=12 SLURM_STEP_ID=3 "
			      "SLURM_NNODES=2 SLURM_STEP_NODELIST=n1",
			      &b),
			 0);
	assert_string_equal(a.root, b.root);
	assert_int_equal(look("SLURM_PROCID=2 SLURM_NTASKS=4 SLURM_JOB_ID=12 SLURM_STEP_ID=4 "
			      "SLURM_NNODES=2 SLURM_STEP_NODELIST=n1",
			      &b),
			 0);
	assert_string_not_equal(a.root, b.root);
}

static void test_contradictions(void **state)
{
	(void)state;
	refuses(OMPI "PMIX_NAMESPACE=x OMPI_COMM_WORLD_LOCAL_SIZE=5", "OMPI_COMM_WORLD_LOCAL_SIZE");
	refuses(OMPI "PMIX_NAMESPACE=x OMPI_COMM_WORLD_LOCAL_SIZE=0", "OMPI_COMM_WORLD_LOCAL_SIZE");
	refuses("PMI_RANK=1 PMI_SIZE=4 PMI_FD=7 MPI_LOCALNRANKS=x", "MPI_LOCALNRANKS");
	refuses("PMI_RANK=1 PMI_SIZE=4 MPI_LOCALNRANKS=2", "PMI_FD is not set");
	refuses(SLURM "SLURM_NNODES=two", "SLURM_NNODES");
	refuses(SLURM "SLURM_NNODES=2", "SLURM_STEP_NODELIST is not set");
	refuses(SLURM "SLURM_NNODES=2 SLURM_STEP_NODELIST=n[1", "SLURM_STEP_NODELIST");
	refuses(TORCH "LOCAL_WORLD_SIZE=9", "LOCAL_WORLD_SIZE");
	refuses("RANK=1 WORLD_SIZE=4 MASTER_ADDR=a MASTER_PORT=99999 LOCAL_WORLD_SIZE=2",
		"MASTER_PORT");
	refuses("RANK=1 WORLD_SIZE=4 MASTER_ADDR=a,;b MASTER_PORT=9 LOCAL_WORLD_SIZE=2",
		"MASTER_ADDR");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=nowhere:bad", "TOTUM_ROOT");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=tcp://a", "TOTUM_ROOT");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=file:", "TOTUM_ROOT");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=pmi://5", "TOTUM_ROOT");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=pmix://x", "TOTUM_ROOT");
}

static void write_secret(const char *text, size_t n, mode_t mode)
{
	unlink(secret_path);
	int fd = open(secret_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_secret_files(void **state)
{
	static const char with[] =
		"TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=a:5 TOTUM_SECRET_FILE=FILE";
	char long_one[300];

	(void)state;
	for (unsigned mode = 0; mode <= 0777; mode++) {
		write_secret("a secret", 8, mode);
		struct tt_identity out;
		if ((mode & 077) && look(with, &out) != TOTUM_EINVAL)
			fail_msg("a secret of mode %03o is taken", mode);
	}
	write_secret("a secret \r\n\n", 12, 0600);
	finds(with, "totum", 0, 2, "a:5");
	struct tt_identity out;
	assert_int_equal(look(with, &out), 0);
	assert_string_equal(out.secret, "a secret");
	write_secret("", 0, 0600);
	refuses(with, "is empty");
	write_secret(" \n", 2, 0600);
	refuses(with, "is empty");
	write_secret("a\0b", 3, 0600);
	refuses(with, "has a zero byte");
	memset(long_one, 'x', sizeof long_one);
	write_secret(long_one, 256, 0600);
	assert_int_equal(look(with, &out), 0);
	assert_int_equal(strlen(out.secret), 256);
	write_secret(long_one, 257, 0600);
	refuses(with, "longer than 256 bytes");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=a:5 TOTUM_SECRET_FILE=/nosuch/file",
		"TOTUM_SECRET_FILE=/nosuch/file cannot be opened");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=a:5 TOTUM_SECRET_FILE=/dev", "is no file");
	refuses("TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=a:5 TOTUM_SECRET_FD=77",
		"TOTUM_SECRET_FD=77");
	if (geteuid() == 0) {
		write_secret("a secret", 8, 0600);
		assert_int_equal(chown(secret_path, 12345, 12345), 0);
		refuses(with, "belongs to another user");
	}
	write_secret("a secret", 8, 0600);
}

static void test_node_lists(void **state)
{
	static const char *const good[][2] = {{"a", "a"},
					      {"a,b", "a"},
					      {"a[1-3]", "a1"},
					      {"a[01-10]x,b", "a01x"},
					      {"a[7,1-3]", "a7"},
					      {"a[1-2]b[03-4]c", "a1b03c"},
					      {"n-1.dom,x", "n-1.dom"},
					      {"a[5],b[1-2]", "a5"}};
	static const char *const bad[] = {"",      ",a",     "a[1",   "a]",    "a[]",    "a[x]",
					  "a[1-3", "a[[1]]", "a[-3]", "a[,1]", "a[1-,2]"};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		if (!tt_nodelist_first(good[i][0], out, sizeof out))
			fail_msg("\"%s\" is refused", good[i][0]);
		assert_string_equal(out, good[i][1]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (tt_nodelist_first(bad[i], out, sizeof out))
			fail_msg("\"%s\" gives \"%s\"", bad[i], out);
	assert_false(tt_nodelist_first("a-very-long-name-of-a-host-indeed", out, 8));
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return 1;
	snprintf(secret_path, sizeof secret_path, "%s/secret", folder);
	write_secret("a secret", 8, 0600);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return unlink(secret_path) || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_host),     cmocka_unit_test(test_several_hosts),
		cmocka_unit_test(test_roots_differ), cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_secret_files), cmocka_unit_test(test_node_lists),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
