/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_group - where the limits of this process's control group are written, in both versions of
 * control groups.
 *
 * Limits of the groups above hold too.  Inside a container /proc/self/cgroup may name folders that
 * cannot be seen; then only the root, which is the container's own, is there to look at.
 */
#include "doctor_checks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER = 512 };

/* Is it in the list, between commas?  "cpu" is not in "cpuset". */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* This process's folder under the controller ("": of the unified hierarchy), without the slash of a
 * root. */
static void own_folder(const char *controller, char *folder)
{
	char line[FOLDER];
	FILE *file = fopen("/proc/self/cgroup", "re");

	folder[0] = 0;
	if (!file)
		return;
	while (fgets(line, sizeof line, file)) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		bool mine = controller[0] ? has_word(list + 1, controller) : !list[1];
		if (mine)
			strcpy(folder, strcmp(path, "/") ? path : "");
	}
	fclose(file);
}

void doctor_groups(const char *controller, const char *name,
		   void (*look)(const char *path, void *context), void *context)
{
	char folder[FOLDER], path[PATH_MAX];

	own_folder(controller, folder);
	for (;;) {
		snprintf(path, sizeof path, "/sys/fs/cgroup%s%s%s/%s", controller[0] ? "/" : "",
			 controller, folder, name);
		if (!access(path, R_OK))
			look(path, context);
		char *last = strrchr(folder, '/');
		if (!last)
			return;
		*last = 0;
	}
}
