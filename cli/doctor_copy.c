/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_copy - may the ranks of a job read each other's private memory, for one copy instead of
 * two?
 *
 * That the C library has the call proves nothing, and a parent may be allowed what siblings are
 * not. So two children, as ranks under a launcher are, each read a word of the other, as the
 * library's own probe does.
 */
#include "doctor_checks.h"
#include "doctor_child.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile uint64_t word; /* each child has its own, all at one address */

static int read_other(void *argument, int fd)
{
	uint64_t mine = *(uint64_t *)argument, got = 0;
	pid_t other;
	int32_t error = 0;

	word = mine;
	if (write(fd, "r", 1) != 1 || read(fd, &other, sizeof other) != sizeof other)
		return 1;
	struct iovec local = {&got, sizeof got}, remote = {(void *)(uintptr_t)&word, sizeof got};
	if (process_vm_readv(other, &local, 1, &remote, 1, 0) != sizeof got)
		error = errno ? errno : EIO;
	else if (got != (mine ^ 1))
		error = EIO;
	if (write(fd, &error, sizeof error) != sizeof error)
		return 1;
	return (int)read(fd, &other, 1); /* stays until the other has read */
}

/* 0, or why the first of them could not; -1: they could not be asked. */
static int try_both(void)
{
	struct doctor_child children[2];
	uint64_t words[2] = {0x746f74756d6eu, 0x746f74756d6fu};
	int32_t errors[2] = {0, 0};
	bool right = true;
	char ready;

	for (int i = 0; i < 2; i++)
		right = doctor_start(&children[i], read_other, &words[i]) && right;
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &ready, 1);
	for (int i = 0; i < 2 && right; i++)
		right = doctor_tell(&children[i], &children[1 - i].pid, sizeof(pid_t));
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &errors[i], sizeof errors[i]);
	for (int i = 0; i < 2; i++)
		doctor_end(&children[i]);
	return right ? (errors[0] ? errors[0] : errors[1]) : -1;
}

/* A field of /proc/self/status, in this base. */
static unsigned long long status_field(const char *name, int base)
{
	char line[256];
	unsigned long long value = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = strtoull(line + strlen(name) + 1, NULL, base);
	if (file)
		fclose(file);
	return value;
}

static int yama(void)
{
	char line[16];

	doctor_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof line);
	return line[0] ? atoi(line) : -1;
}

static const char *advice(int scope, bool filtered)
{
	if (scope > 2)
		return "restart the host with another ptrace_scope, or use totum_alloc and "
		       "windows, which need no permission";
	if (scope > 0)
		return "as root: sysctl kernel.yama.ptrace_scope=0; of a container: "
		       "--cap-add=SYS_PTRACE; or use "
		       "totum_alloc and windows, which need no permission";
	if (filtered)
		return "let the container's filter pass process_vm_readv: --cap-add=SYS_PTRACE, or "
		       "a seccomp profile; or use "
		       "totum_alloc and windows, which need no permission";
	return "start all ranks as one user, and none of them as a set-user-id program; or use "
	       "totum_alloc and windows, which "
	       "need no permission";
}

void doctor_copy(struct doctor *doctor)
{
	enum { CAP_SYS_PTRACE_BIT = 19 };
	int scope = yama(), error = try_both();
	bool filtered = status_field("Seccomp", 10) != 0;
	bool may_trace = status_field("CapEff", 16) >> CAP_SYS_PTRACE_BIT & 1;

	doctor_group(doctor, "single copy");
	const char *setting = getenv("TOTUM_SINGLE_COPY");
	if (!error && setting && !strcmp(setting, "off"))
		doctor_say(doctor, DOCTOR_NOTE, "between ranks", "unset TOTUM_SINGLE_COPY",
			   "two processes have read each other's memory, but "
			   "TOTUM_SINGLE_COPY=off makes large messages take two copies");
	else if (!error)
		doctor_say(doctor, DOCTOR_OK, "between ranks", NULL,
			   "two processes have read each other's memory: large messages take one "
			   "copy");
	else if (error < 0)
		doctor_say(doctor, DOCTOR_NOTE, "between ranks",
			   "look at the limit on processes below",
			   "two processes could not be started to try it");
	else
		doctor_say(doctor, DOCTOR_NOTE, "between ranks", advice(scope, filtered),
			   "one process may not read another one's memory (%s): large messages of "
			   "private memory take "
			   "two copies",
			   strerror(error));
	doctor_value(doctor, json_boolean(!error));
	if (scope >= 0) {
		doctor_say(doctor, DOCTOR_OK, "ptrace_scope", NULL, "%d%s", scope,
			   scope && may_trace ? ", but this process may trace all (CAP_SYS_PTRACE)"
					      : "");
		doctor_value(doctor, json_integer(scope));
	}
	doctor_say(doctor, DOCTOR_OK, "system calls", NULL,
		   filtered ? "filtered (seccomp)" : "not filtered");
	doctor_value(doctor, json_boolean(filtered));
}
