/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_machine - read from uname and /proc. */
#include "bench_machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* What follows the blanks behind "name ... :" in a file, in out; false: there is no such line. */
static bool find_line(const char *file, const char *name, char *out, int size)
{
	FILE *in = fopen(file, "r");
	bool found = false;
	char line[512];

	while (in && !found && fgets(line, sizeof line, in)) {
		char *value = strchr(line, ':');

		if (!value || strncmp(line, name, strlen(name)))
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = 0;
		snprintf(out, (size_t)size, "%s", value);
		found = true;
	}
	if (in)
		fclose(in);
	return found;
}

void bench_machine_find(struct bench_machine *out)
{
	struct utsname names;
	cpu_set_t cpus;

	*out = (struct bench_machine){.cores = 1};
	if (!uname(&names)) {
		snprintf(out->host, sizeof out->host, "%s", names.nodename);
		snprintf(out->kernel, sizeof out->kernel, "%s %s", names.sysname, names.release);
		snprintf(out->cpu, sizeof out->cpu, "%s", names.machine);
	}
	find_line("/proc/cpuinfo", "model name", out->cpu, sizeof out->cpu);
	if (getloadavg(&out->load, 1) != 1)
		out->load = -1;
	if (!sched_getaffinity(0, sizeof cpus, &cpus))
		out->cores = CPU_COUNT(&cpus);
}

uint64_t bench_memory_available(void)
{
	unsigned long long kib;
	char text[64];

	if (!find_line("/proc/meminfo", "MemAvailable", text, sizeof text) ||
	    sscanf(text, "%llu kB", &kib) != 1)
		return UINT64_MAX;
	return (uint64_t)kib << 10;
}
