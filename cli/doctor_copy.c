/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_copy - may the ranks of a job read each other's private memory, for one copy instead of
 * two?
 *
 * That the C library has the call proves nothing, and a parent may be allowed what siblings are
 * not. So two children, as ranks under a launcher are, each read memory of the other, and time it,
 * as the library's own probe does.
 */
#include "doctor_checks.h"
#include "doctor_child.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { COPIED = 128 << 10, TRIES = 4 };

static unsigned char block[COPIED]; /* each child has its own, all at one address */

/* What a child tells: 0 or why it could not read, and the fastest of some copies of the block. */
struct found {
	int32_t error;
	double kernel, plain; /* seconds: by the kernel, within the process */
};

static bool copy(pid_t other, unsigned char *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {block, bytes};

	errno = EIO;
	return process_vm_readv(other, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Of the other's block, by the kernel, or of its own (other 0). */
static double fastest(pid_t other, unsigned char *to)
{
	double best = HUGE_VAL;

	for (int i = 0; i < TRIES; i++) {
		double began = now();
		if (other)
			copy(other, to, COPIED);
		else
			memcpy(to, block, COPIED);
		best = fmin(best, now() - began);
	}
	return best;
}

static int read_other(void *argument, int fd)
{
	static unsigned char to[COPIED];
	uint64_t mine = *(uint64_t *)argument, got = 0;
	struct found found = {0};
	pid_t other;

	memset(block, 1, COPIED);
	memset(to, 2, COPIED);
	memcpy(block, &mine, sizeof mine);
	if (write(fd, "r", 1) != 1 || read(fd, &other, sizeof other) != sizeof other)
		return 1;
	if (!copy(other, to, sizeof got))
		found.error = errno;
	memcpy(&got, to, sizeof got);
	if (!found.error && got != (mine ^ 1))
		found.error = EIO;
	if (!found.error) {
		found.kernel = fastest(other, to);
		found.plain = fastest(0, to);
	}
	if (write(fd, &found, sizeof found) != sizeof found)
		return 1;
	return (int)read(fd, &other, 1); /* stays until the other has read */
}

/* What the one that fared worse has found; an error of -1: they could not be asked. */
static struct found try_both(void)
{
	struct doctor_child children[2];
	uint64_t words[2] = {0x746f74756d6eu, 0x746f74756d6fu};
	struct found found[2] = {{0}};
	bool right = true;
	char ready;

	for (int i = 0; i < 2; i++)
		right = doctor_start(&children[i], read_other, &words[i]) && right;
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &ready, 1);
	for (int i = 0; i < 2 && right; i++)
		right = doctor_tell(&children[i], &children[1 - i].pid, sizeof(pid_t));
	for (int i = 0; i < 2 && right; i++)
		right = doctor_hear(&children[i], &found[i], sizeof found[i]);
	for (int i = 0; i < 2; i++)
		doctor_end(&children[i]);
	if (!right)
		return (struct found){.error = -1};
	if (found[0].error || found[1].error)
		return found[0].error ? found[0] : found[1];
	return found[0].kernel * found[1].plain > found[1].kernel * found[0].plain ? found[0]
										   : found[1];
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

static void say_permission(struct doctor *doctor, int error, const char *todo)
{
	if (!error)
		doctor_say(doctor, DOCTOR_OK, "between ranks", NULL,
			   "two processes have read each other's memory");
	else if (error < 0)
		doctor_say(doctor, DOCTOR_NOTE, "between ranks",
			   "look at the limit on processes below",
			   "two processes could not be started to try it");
	else
		doctor_say(doctor, DOCTOR_NOTE, "between ranks", todo,
			   "one process may not read another one's memory (%s): large messages of "
			   "private memory take two copies",
			   strerror(error));
	doctor_value(doctor, json_boolean(!error));
}

/* The library's rule, too: staging copies twice, and the two copies overlap. */
static void say_speed(struct doctor *doctor, const struct found *found)
{
	const char *setting = getenv("TOTUM_SINGLE_COPY");
	double kernel = COPIED / found->kernel * 1e-9, plain = COPIED / found->plain * 1e-9;
	bool fast = found->kernel / 2 <= found->plain;

	if (setting && !strcmp(setting, "off"))
		doctor_say(doctor, DOCTOR_NOTE, "speed", "unset TOTUM_SINGLE_COPY",
			   "%.3g GB/s by the kernel, %.3g by a plain copy; but "
			   "TOTUM_SINGLE_COPY=off makes large messages take two copies",
			   kernel, plain);
	else if (fast || (setting && !strcmp(setting, "on")))
		doctor_say(doctor, DOCTOR_OK, "speed", NULL,
			   "%.3g GB/s by the kernel, %.3g by a plain copy: large messages take one "
			   "copy",
			   kernel, plain);
	else
		doctor_say(doctor, DOCTOR_NOTE, "speed",
			   "totum_alloc, windows, or `totum run --share-memory`: one copy without "
			   "the kernel",
			   "%.3g GB/s by the kernel, %.3g by a plain copy: that is slow, so large "
			   "messages of private memory take two copies",
			   kernel, plain);
	doctor_value(doctor, json_real(kernel * 1e9));
}

void doctor_copy(struct doctor *doctor)
{
	enum { CAP_SYS_PTRACE_BIT = 19 };
	struct found found = try_both();
	int scope = yama();
	bool filtered = status_field("Seccomp", 10) != 0;
	bool may_trace = status_field("CapEff", 16) >> CAP_SYS_PTRACE_BIT & 1;

	doctor_group(doctor, "single copy");
	say_permission(doctor, found.error, advice(scope, filtered));
	if (!found.error)
		say_speed(doctor, &found);
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
