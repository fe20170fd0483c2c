/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_kernel - versions, and the kernel's calls that the library relies on, each tried: a filter
 * or a sandbox may lack what the version promises.
 */
#include "doctor_checks.h"
#include "doctor_child.h"
#include "totum.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static void say_versions(struct doctor *doctor)
{
	struct utsname host;

	uname(&host);
	if (strcmp(totum_version(), TOTUM_BUILD_VERSION))
		doctor_say(doctor, DOCTOR_NOTE, "totum",
			   "install the command and the library from one build; LD_LIBRARY_PATH "
			   "may name another one",
			   "the command is %s, but the library that it has found is %s",
			   TOTUM_BUILD_VERSION, totum_version());
	else
		doctor_say(doctor, DOCTOR_OK, "totum", NULL, "%s", totum_version());
	doctor_value(doctor, json_string(totum_version()));
	doctor_say(doctor, DOCTOR_OK, "system", NULL, "%s %s, %s, C library %s", host.sysname,
		   host.release, host.machine, gnu_get_libc_version());
	doctor_value(doctor, json_string(host.release));
}

static void say_futex(struct doctor *doctor)
{
	uint32_t word = 0;
	long woken = syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);

	if (woken < 0)
		doctor_say(doctor, DOCTOR_PROBLEM, "futex",
			   "allow the system call futex in the sandbox or filter that this process "
			   "runs in",
			   "ranks cannot sleep: %s", strerror(errno));
	else
		doctor_say(doctor, DOCTOR_OK, "futex", NULL, "ranks that wait can sleep");
}

static void say_fork(struct doctor *doctor)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED && !madvise(page, 4096, MADV_WIPEONFORK))
		doctor_say(doctor, DOCTOR_OK, "fork", NULL,
			   "a child that uses its parent's communicator is refused");
	else
		doctor_say(doctor, DOCTOR_NOTE, "fork",
			   "let no child use a communicator that it was forked with; Linux 4.14 "
			   "would refuse it",
			   "a child that uses its parent's communicator goes unnoticed: %s",
			   strerror(errno));
	if (page != MAP_FAILED)
		munmap(page, 4096);
}

static bool is_locked(int fd)
{
	struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};

	return !fcntl(fd, F_GETLK, &asked) && asked.l_type != F_UNLCK;
}

static int lock_and_wait(void *argument, int fd)
{
	struct flock mark = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	char byte;

	if (fcntl(*(int *)argument, F_SETLK, &mark) || write(fd, "l", 1) != 1)
		return 1;
	return (int)read(fd, &byte, 1);
}

/* The lock of a process vanishes when it is killed: so dead ranks are noticed. */
static bool locks_show_death(int fd)
{
	struct doctor_child child;
	char byte;
	bool seen = doctor_start(&child, lock_and_wait, &fd) && doctor_hear(&child, &byte, 1) &&
		    is_locked(fd);

	doctor_end(&child);
	return seen && !is_locked(fd);
}

static void say_locks(struct doctor *doctor)
{
	int fd = memfd_create("totum-doctor", MFD_CLOEXEC);

	if (fd < 0)
		return; /* what the group about memory says is enough */
	if (locks_show_death(fd))
		doctor_say(doctor, DOCTOR_OK, "record locks", NULL, "a rank that dies is noticed");
	else
		doctor_say(doctor, DOCTOR_PROBLEM, "record locks",
			   "run outside the sandbox, or in one that implements fcntl locks on "
			   "memfd files",
			   "locks on a nameless file do not show which rank is alive");
	close(fd);
}

/* From the cpu's flags, where the kernel lists them. */
static void say_vectors(struct doctor *doctor)
{
	char line[8192];
	const char *widest = NULL;
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, "flags", 5)) {
			widest = strstr(line, " avx512f") ? "AVX-512"
				 : strstr(line, " avx2")  ? "AVX2"
							  : "SSE2";
			break;
		}
	if (file)
		fclose(file);
	doctor_say(doctor, DOCTOR_OK, "vectors", NULL, "%s",
		   widest ? widest : "those of every cpu of this kind");
}

void doctor_kernel(struct doctor *doctor)
{
	doctor_group(doctor, "versions and kernel");
	say_versions(doctor);
	say_futex(doctor);
	say_fork(doctor);
	say_locks(doctor);
	say_vectors(doctor);
}
