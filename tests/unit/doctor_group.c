/* SPDX-License-Identifier: BSD-3-Clause */
/* The doctor's way to the limits of control groups, of both versions, in a tree that is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *groups;       /* what /proc/self/cgroup says */
static const char *const *there; /* the files that can be seen, up to NULL */

static FILE *fake_fopen(const char *path, const char *mode)
{
	assert_string_equal(path, "/proc/self/cgroup");
	return fmemopen((void *)(uintptr_t)groups, strlen(groups), mode[0] == 'r' ? "r" : "w");
}

static int fake_access(const char *path, int mode)
{
	(void)mode;
	for (int i = 0; there[i]; i++)
		if (!strcmp(there[i], path))
			return 0;
	return -1;
}

#define fopen  fake_fopen
#define access fake_access
#include "../../cli/doctor_group.c"
#undef fopen
#undef access

static void note(const char *path, void *context)
{
	strcat(context, path);
	strcat(context, " ");
}

static void expect(const char *controller, const char *name, const char *paths)
{
	char seen[512] = "";

	doctor_groups(controller, name, note, seen);
	assert_string_equal(seen, paths);
}

static void unified(void **state)
{
	static const char *const files[] = {"/sys/fs/cgroup/a/b/cpu.max",
					    "/sys/fs/cgroup/a/cpu.max",
					    "/sys/fs/cgroup/other/cpu.max", NULL};

	(void)state;
	groups = "0::/a/b/c\n";
	there = files;
	expect("", "cpu.max", "/sys/fs/cgroup/a/b/cpu.max /sys/fs/cgroup/a/cpu.max ");
	expect("cpu", "cpu.cfs_quota_us", "");
}

/* Several controllers in one line, and names that begin alike. */
static void separate(void **state)
{
	static const char *const files[] = {"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us",
					    "/sys/fs/cgroup/cpu/set/cpu.cfs_quota_us",
					    "/sys/fs/cgroup/cpu/acct/cpu.cfs_quota_us",
					    "/sys/fs/cgroup/memory/memory.limit_in_bytes", NULL};

	(void)state;
	there = files;
	groups = "5:memory:/\n4:cpu,cpufun:/job\n3:cpuset:/set\n2:cpuacct:/acct\n0::/\n";
	expect("cpu", "cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us ");
	expect("memory", "memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes ");
	groups = "4:net_cls,cpu:/job\n3:cpuset:/set\n";
	expect("cpu", "cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(unified), cmocka_unit_test(separate)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
