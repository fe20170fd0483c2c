/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_share - large allocations that ranks read where they lie: is it on, and would it work?
 *
 * The allocator's memory is in a file without a name, which the peers open through /proc.  Two
 * children, as ranks are, try that with each other.
 */
#include "doctor_checks.h"
#include "doctor_child.h"
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct place {
	pid_t pid;
	int fd;
};

/* 0, or why the first word of another process's file cannot be read, or is not this. */
static int read_file(const struct place *place, uint64_t word)
{
	char path[64];
	int error = 0;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)place->pid, place->fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	const uint64_t *memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		error = errno;
	else if (*memory != word)
		error = EIO;
	close(fd);
	return error;
}

/* Says where its own file is, hears where the other one's is, and answers what came of it. */
static int open_other(void *argument, int fd)
{
	uint64_t mine = *(uint64_t *)argument;
	struct place place = {getpid(), memfd_create("totum-doctor", MFD_CLOEXEC)};
	int32_t error;
	char byte;

	if (place.fd < 0 || ftruncate(place.fd, PAGE) ||
	    pwrite(place.fd, &mine, sizeof mine, 0) != sizeof mine ||
	    write(fd, &place, sizeof place) != sizeof place ||
	    read(fd, &place, sizeof place) != sizeof place)
		return 1;
	error = read_file(&place, mine ^ 1);
	if (write(fd, &error, sizeof error) != sizeof error)
		return 1;
	return (int)read(fd, &byte, 1); /* stays until the other has read */
}

/* 0, or why the first of them could not; -1: they could not be asked. */
static int try_both(void)
{
	struct doctor_child children[2];
	uint64_t words[2] = {0x746f74756d70u, 0x746f74756d71u};
	struct place places[2];
	int32_t errors[2] = {0, 0};
	bool right = true;

	for (int i = 0; i < 2; i++)
		right = doctor_start(&children[i], open_other, &words[i]) && right;
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &places[i], sizeof places[i]);
	for (int i = 0; i < 2 && right; i++)
		right = doctor_tell(&children[i], &places[1 - i], sizeof places[i]);
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &errors[i], sizeof errors[i]);
	for (int i = 0; i < 2; i++)
		doctor_end(&children[i]);
	return right ? (errors[0] ? errors[0] : errors[1]) : -1;
}

void doctor_share(struct doctor *doctor)
{
	static const char name[] = "shared malloc";
	char library[PATH_MAX], bytes[16];
	uint64_t from = 0;
	bool on = share_is_on(&from), found = share_find(library, sizeof library);
	int error = try_both();

	if (on && !from)
		doctor_say(doctor, DOCTOR_NOTE, name,
			   "look at memfd above, and at the address space and the file size below",
			   "on, but the system gives it no memory to share");
	else if (error)
		doctor_say(doctor, DOCTOR_NOTE, name,
			   "start all ranks as one user, in one container, with /proc, and none "
			   "of them as a set-user-id program",
			   "%s, without effect: one process may not open another one's memory "
			   "file (%s)",
			   on ? "on" : "off",
			   error < 0 ? "it could not be tried" : strerror(error));
	else if (on)
		doctor_say(doctor, DOCTOR_OK, name, NULL,
			   "on: other ranks read allocations of %s and more where they lie; two "
			   "processes have mapped each other's",
			   doctor_bytes((double)from, bytes));
	else if (!found)
		doctor_say(doctor, DOCTOR_NOTE, name, "install totum whole", "off: %s", library);
	else
		doctor_say(doctor, DOCTOR_OK, name, NULL,
			   "off; `totum run --share-memory` turns it on, and two processes have "
			   "mapped each other's memory files");
	doctor_value(doctor, json_pack("{s:b, s:b}", "on", on, "works", !error && (!on || from)));
}
