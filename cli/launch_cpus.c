/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_cpus - the cpus that a process may run on, counted, bound to, and written down. */
#include "launch_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { MAX_CPUS = 8192 };

struct cpus {
	cpu_set_t sets[MAX_CPUS / CPU_SETSIZE];
};

static bool has_cpu(const void *set, int i)
{
	const struct cpus *cpus = set;

	return CPU_ISSET_S((size_t)i, sizeof *cpus, cpus->sets);
}

int launch_nth_cpu(int n)
{
	struct cpus cpus;

	memset(&cpus, 0, sizeof cpus);
	if (sched_getaffinity(0, sizeof cpus, cpus.sets))
		return -1;
	n %= CPU_COUNT_S(sizeof cpus, cpus.sets);
	for (int i = 0; i < MAX_CPUS; i++)
		if (has_cpu(&cpus, i) && n-- == 0)
			return i;
	errno = ENOENT;
	return -1;
}

bool launch_bind_to(int cpu)
{
	struct cpus cpus;

	memset(&cpus, 0, sizeof cpus);
	CPU_SET_S((size_t)cpu, sizeof cpus, cpus.sets);
	return sched_setaffinity(0, sizeof cpus, cpus.sets) == 0;
}

void launch_ranges_text(bool (*has)(const void *set, int i), const void *set, int n, char *out,
			size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++) {
		int first = i;
		char range[32];

		if (!has(set, i))
			continue;
		while (i + 1 < n && has(set, i + 1))
			i++;
		if (first == i)
			snprintf(range, sizeof range, "%s%d", used ? "," : "", first);
		else
			snprintf(range, sizeof range, "%s%d-%d", used ? "," : "", first, i);
		if (used + strlen(range) + sizeof ",..." > size) {
			snprintf(out + used, size - used, ",...");
			return;
		}
		used += (size_t)snprintf(out + used, size - used, "%s", range);
	}
}

void launch_cpus_text(char *out, size_t size)
{
	struct cpus cpus;

	memset(&cpus, 0, sizeof cpus);
	if (sched_getaffinity(0, sizeof cpus, cpus.sets))
		snprintf(out, size, "unknown");
	else
		launch_ranges_text(has_cpu, &cpus, MAX_CPUS, out, size);
}
