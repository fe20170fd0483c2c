/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor_memory - where shared memory comes from, how much there is, how large its pages are, where
 * it lies. */
#include "doctor_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define THP "/sys/kernel/mm/transparent_hugepage/"

static const double small_shm = 1 << 30;

static bool can_map(int fd)
{
	off_t far = (off_t)1 << 44; /* the job's file is sparse and spans as much */
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < (rlim_t)far + 4096)
		return true; /* that is a matter of its own: the group about limits */
	if (ftruncate(fd, far + 4096))
		return false;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, far);
	if (page == MAP_FAILED)
		return false;
	memset(page, 1, 4096);
	munmap(page, 4096);
	return true;
}

static bool say_nameless(struct doctor *doctor)
{
	int fd = memfd_create("totum-doctor", MFD_CLOEXEC);
	bool works = fd >= 0 && can_map(fd);
	int error = errno;
	bool replaced = fd < 0 && (error == ENOSYS || error == EPERM || error == EACCES);

	if (fd >= 0)
		close(fd);
	if (works)
		doctor_say(doctor, DOCTOR_OK, "memfd", NULL,
			   "shared memory without a name or a size limit of its own");
	else
		doctor_say(doctor, replaced ? DOCTOR_NOTE : DOCTOR_PROBLEM, "memfd",
			   "allow the system call memfd_create (Linux 3.17) in the sandbox, and "
			   "look at the file size "
			   "limit below",
			   "no nameless shared memory: %s", strerror(error));
	return works;
}

static void say_shm(struct doctor *doctor, bool needed)
{
	struct statvfs facts;
	char size[16], free_bytes[16];

	if (statvfs("/dev/shm", &facts)) {
		doctor_say(doctor, needed ? DOCTOR_PROBLEM : DOCTOR_OK, "/dev/shm",
			   needed ? "mount a tmpfs on /dev/shm" : NULL, "there is none%s",
			   needed ? "" : ", and none is needed");
		return;
	}
	double room = (double)facts.f_bavail * (double)facts.f_frsize;
	doctor_bytes((double)facts.f_blocks * (double)facts.f_frsize, size);
	doctor_bytes(room, free_bytes);
	if (needed && room < small_shm)
		doctor_say(doctor, DOCTOR_NOTE, "/dev/shm",
			   "enlarge it: mount -o remount,size=8G /dev/shm, of a container "
			   "--shm-size=8g",
			   "%s, of which %s are free: large totum_alloc and windows will not fit",
			   size, free_bytes);
	else
		doctor_say(doctor, DOCTOR_OK, "/dev/shm", NULL, "%s, of which %s are free%s", size,
			   free_bytes,
			   needed ? "" : "; totum does not need it, other libraries may");
	doctor_value(doctor, json_real(room));
}

static void take_least(const char *path, void *context)
{
	char line[64];
	double *least = context;
	char *end;
	double limit = strtod(doctor_line(path, line, sizeof line), &end);

	if (end != line && !*end && limit < *least)
		*least = limit;
}

static double available(void)
{
	char line[128];
	double kb = HUGE_VAL;
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "MemAvailable: %lf", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb * 1024;
}

static void say_size(struct doctor *doctor)
{
	double limit = HUGE_VAL, here = available();
	char text[16], limit_text[16];

	doctor_groups("", "memory.max", take_least, &limit);
	doctor_groups("memory", "memory.limit_in_bytes", take_least, &limit);
	doctor_bytes(here, text);
	doctor_bytes(limit, limit_text);
	if (limit < here)
		doctor_say(doctor, DOCTOR_OK, "memory", NULL,
			   "%s available on this host; the control group may use %s, shared memory "
			   "counted",
			   text, limit_text);
	else
		doctor_say(doctor, DOCTOR_OK, "memory", NULL, "%s available", text);
	doctor_value(doctor, json_real(limit < here ? limit : here));
}

/* Of a file of choices, the one in brackets; "" when there is none. */
static const char *chosen(const char *path, char word[static 32])
{
	char line[128];

	doctor_line(path, line, sizeof line);
	const char *bracket = strchr(line, '[');
	word[0] = 0;
	if (bracket)
		sscanf(bracket, "[%31[^]]", word);
	return word;
}

/* Newer kernels ask for each size of pages; "inherit" is what all of them have in common. */
static const char *huge_choice(char path[static 128], char word[static 32])
{
	char size[32];
	unsigned long bytes =
		strtoul(doctor_line(THP "hpage_pmd_size", size, sizeof size), NULL, 10);

	snprintf(path, 128, THP "hugepages-%lukB/shmem_enabled", bytes >> 10);
	if (chosen(path, word)[0] && strcmp(word, "inherit"))
		return word;
	strcpy(path, THP "shmem_enabled");
	return chosen(path, word);
}

static void say_huge(struct doctor *doctor)
{
	char path[128], todo[192], word[32];

	huge_choice(path, word);
	if (!word[0])
		doctor_say(doctor, DOCTOR_NOTE, "huge pages",
			   "a kernel with transparent huge pages makes large calls faster",
			   "this kernel has none for shared memory");
	else if (!strcmp(word, "never") || !strcmp(word, "deny")) {
		snprintf(todo, sizeof todo, "as root: echo advise >%s", path);
		doctor_say(doctor, DOCTOR_NOTE, "huge pages", todo,
			   "shared memory gets small pages only (%s): a first touch of a large "
			   "totum_alloc or window is slow",
			   word);
	} else
		doctor_say(doctor, DOCTOR_OK, "huge pages", NULL, "for shared memory: %s", word);
	if (word[0])
		doctor_value(doctor, json_string(word));
}

static void say_numa(struct doctor *doctor)
{
	glob_t nodes;
	int count = 1;

	if (!glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &nodes)) {
		count = (int)nodes.gl_pathc;
		globfree(&nodes);
	}
	if (count == 1)
		doctor_say(doctor, DOCTOR_OK, "NUMA", NULL, "one node");
	else
		doctor_say(doctor, DOCTOR_NOTE, "NUMA",
			   "keep every rank where its memory is: `totum run --bind-to=core`, or "
			   "numactl",
			   "%d nodes: memory of another node is slower to read", count);
	doctor_value(doctor, json_integer(count));
}

void doctor_memory(struct doctor *doctor)
{
	doctor_group(doctor, "memory");
	bool nameless = say_nameless(doctor);
	say_shm(doctor, !nameless);
	say_size(doctor);
	say_huge(doctor);
	say_numa(doctor);
}
